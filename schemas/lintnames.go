package schemas

import (
	"fmt"
	"slices"

	"aqueduck/internal/grammar"
)

// lintStream refuses the name of an unknown stream.
func (c *Catalogue) lintStream(v *grammar.Value) {
	if _, ok := c.drafts[v.Text()]; !ok && v.IsSet() {
		v.Wrong(grammar.DidYouMean(v.Text(), c.Names()), "no stream %q", v.Text())
	}
}

func (c *Catalogue) lintNames(d *streamDraft) {
	with := d.file.Key("with")
	c.lintStream(with)
	if other, known := c.drafts[with.Text()]; known && other.stream.With != "" {
		with.Wrong("with: "+other.stream.With, "%q belongs to %q itself, and a pipeline that reads that would not read this stream", with.Text(), other.stream.With)
	}
	if d.like != "" && d.suffix == "" && d.stream.Into == "" {
		d.file.Key("like").Wrong("e.g. suffix: _by_id", "a stream with like needs a suffix: its tables would have the same names")
	}
	absent := d.file.Key("absent")
	if absent.Text() == Redacted {
		d.lintRedacted(absent)
	}
	if absent.Text() != "gone" {
		return
	}
	if by := d.stream.Read.Since.By; by != "" && by != "full" && d.stream.Read.Single() == nil && !c.sharesTables(d.stream) {
		absent.Wrong("", "needs a stream that is read in full or by id")
	}
	if d.stream.Read.ByIDs() && len(d.stream.Key) > 1 {
		absent.Wrong("", "a 404 is for one id, and the key has %d columns", len(d.stream.Key))
	}
}

// lintRedacted requires what `absent: redacted` needs: an answer for each id, a column with the id, and a redactable column.
func (d *streamDraft) lintRedacted(absent *grammar.Value) {
	if !d.stream.Read.UsesPendingIDs() {
		absent.Wrong("over: {stream: …}", "needs over: {stream}, which reads each id by itself")
	}
	if _, ok := d.stream.AskedIDColumn(); !ok {
		absent.Wrong("from: $over", "no column has the requested id")
	}
	if !slices.ContainsFunc(d.stream.Columns, func(c Column) bool { return c.Redactable }) {
		absent.Wrong("redactable: true", "no column is redactable")
	}
}

// sharesTables reports whether another stream, which is read in full, writes to a stream's tables.
func (c *Catalogue) sharesTables(s *Stream) bool {
	for _, d := range c.drafts {
		if d.stream.Into == s.Name && d.stream.Read.Since.By == "full" {
			return true
		}
	}
	return false
}

// lintInto refuses keys about tables in a stream that writes to another stream's tables.
func (c *Catalogue) lintInto(d *streamDraft) {
	into := d.file.Key("into")
	if !into.IsSet() {
		return
	}
	for _, key := range []string{"like", "with", "suffix", "key", "newest", "absent", "columns", "children", "snapshot", "publish_as", "reconcile"} {
		if v := d.file.Key(key); v.IsGiven() {
			v.WrongKey("", "%s: the tables belong to %q, which declares it", v.Path(), into.Text())
		}
	}
	if model, known := c.drafts[into.Text()]; known && model.stream.Into != "" {
		into.Wrong("into: "+model.stream.Into, "%q has no own tables", into.Text())
	}
}

// lintTables refuses a name that two tables or relations of the workspace would share.
func (c *Catalogue) lintTables(d *streamDraft) {
	if d.like != "" && d.suffix == "" {
		return // reported already, or the tables are another stream's
	}
	owners := map[string]string{}
	for _, name := range c.Names() {
		s := c.drafts[name].stream
		owners[s.Name+"_history"] = "kept for the history of stream " + s.Name
		if s == d.stream || s.Into != "" || d.stream.Into != "" {
			continue
		}
		for _, table := range s.tableNames() {
			owners[table] = "a table of stream " + s.Name
		}
		for _, r := range c.relations[s.PublishAs] {
			owners[r.Name] = fmt.Sprintf("published by %s.sql", s.PublishAs)
		}
	}
	v := d.file.Key("stream")
	for _, table := range d.stream.tableNames() {
		if owner, taken := owners[table]; taken {
			v.Wrong("", "table %q is %s", table, owner)
		}
		owners[table] = "a table of this stream already"
	}
}

// tableNames are the tables and views of a stream in the workspace's schema.
func (s *Stream) tableNames() []string {
	all := []string{s.Table}
	if s.Absent == "gone" {
		all = append(all, s.Table+"_all")
	}
	if s.Snapshot {
		all = append(all, s.DailyTable())
	}
	for _, c := range s.Children {
		all = append(all, c.Table)
	}
	for _, c := range s.Columns {
		if c.Attributes != "" {
			all = append(all, s.Owner()+"_attributes")
		}
	}
	return all
}
