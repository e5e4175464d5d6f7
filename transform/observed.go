package transform

// AbsentColumns are the columns for which no record so far had a value, and the number of records.
func (d *Decoder) AbsentColumns() (names []string, records int64) {
	for _, c := range d.plans[0].columns {
		if !c.filled && !c.silent {
			names = append(names, c.name)
		}
	}
	return names, d.taken
}

// MillisecondColumns are the timestamps, as table.column, for which a value came in milliseconds.
func (d *Decoder) MillisecondColumns() (names []string) {
	for _, p := range d.plans {
		for _, c := range p.columns {
			if c.millis {
				names = append(names, p.table.Name+"."+c.name)
			}
		}
	}
	return names
}

// Rejects returns the rejects since the last call, and clears them.
func (d *Decoder) Rejects() []Reject { return d.rejects.takeRejects() }

// LacksUsual reports whether the last kept record lacks a list or an object that nearly all records before it had, and that is
// not known to be optional.
func (d *Decoder) LacksUsual() bool { return d.suspects.lacksUsual }

// Suspects returns the keys of the records, since the last call, that lack a list or an object that the source always sends; and
// clears them.
func (d *Decoder) Suspects() []string { return d.suspects.takeKeys() }

// ExpectGroups sets the paths of the lists and objects that earlier readings found to be always sent, and sometimes sent.
func (d *Decoder) ExpectGroups(always, sometimes []string) {
	d.suspects.expectGroups(always, sometimes)
}

// SometimesSent are the paths of the lists and objects that the source sometimes sends, by ExpectGroups or by what the decoder
// has seen.
func (d *Decoder) SometimesSent() []string { return d.suspects.groupPaths(d.suspects.isSometimesSent) }

// AlwaysSent are the paths of the lists and objects that the source always sends, by ExpectGroups or by what the decoder has
// seen.
func (d *Decoder) AlwaysSent() []string {
	return d.suspects.groupPaths(func(_ int, always bool) bool { return always })
}

// VanishedGroups are the paths of always-sent lists and objects that hardly any of the decoder's records had: the source no
// longer sends them.
func (d *Decoder) VanishedGroups() []string { return d.suspects.groupPaths(d.suspects.isVanished) }
