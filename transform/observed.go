package transform

// AbsentColumns gives the columns that no record so far had a value for, and how many records there were.
func (d *Decoder) AbsentColumns() (names []string, records int64) {
	for _, c := range d.plans[0].columns {
		if !c.filled && !c.silent {
			names = append(names, c.name)
		}
	}
	return names, d.taken
}

// MillisecondColumns gives the timestamps, as table.column, of which a value so far came in milliseconds.
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

// Rejects gives what was rejected since it was last asked, and forgets it.
func (d *Decoder) Rejects() []Reject { return d.rejects.takeRejects() }

// LacksUsual reports whether the last record that was kept lacks a list or an object that nearly all before it had, and that is not known
// to be sent at times only.
func (d *Decoder) LacksUsual() bool { return d.suspects.lacksUsual }

// Suspects gives the keys of the records since it was last asked that were sent without what their source always sends.
func (d *Decoder) Suspects() []string { return d.suspects.takeKeys() }

// ExpectGroups tells the decoder which lists and objects, by their paths, the source was known to send always, and which at times.
func (d *Decoder) ExpectGroups(always, sometimes []string) {
	d.suspects.expectGroups(always, sometimes)
}

// SometimesSent gives the paths of the lists and objects that the source sends at times, as far as the decoder was told or has seen of many
// records.
func (d *Decoder) SometimesSent() []string { return d.suspects.groupPaths(d.suspects.isSometimesSent) }

// AlwaysSent gives the paths of the lists and objects that the source always sends, as far as the decoder was told or has seen.
func (d *Decoder) AlwaysSent() []string {
	return d.suspects.groupPaths(func(_ int, always bool) bool { return always })
}

// VanishedGroups gives the paths of those that hardly any of many records had: the source does not send them any more.
func (d *Decoder) VanishedGroups() []string { return d.suspects.groupPaths(d.suspects.isVanished) }
