package schemas

import (
	"slices"

	"aqueduck/internal/grammar"
)

// lintErase checks the keys of a table's columns about persons and erasure. record are the columns of the stream's own table.
func lintErase(columns *grammar.Value, all, record []Column) {
	for _, v := range columns.Items() {
		c, _ := findColumn(all, v.Key("name").Text())
		if person := v.Key("person"); c.Person && c.Type != Text {
			person.Wrong("write type: text; ids are texts, whatever the source sends", "a column of type %s cannot hold a contact's id", c.Type)
		}
		whose := v.Key("whose")
		if whose.IsSet() && !c.PII && c.From[0] != FromErased {
			whose.WrongKey("pii: true", "person is only for personal data, or for a column from $erased")
		}
		for _, name := range whose.Texts() {
			if name == RecordSubjects {
				continue
			}
			of, known := findColumn(all, name)
			if !known {
				of, known = findColumn(record, name)
			}
			if !known || !of.Person && of.References == "" {
				whose.Wrong(grammar.DidYouMean(name, columnNames(all)), "no column %q with a contact's id or a reference", name)
			}
		}
		by := v.Key("redacted_by")
		if flag, known := findColumn(all, by.Text()); by.IsSet() && (!known || flag.Type != Bool) {
			by.Wrong("declare it in columns, with type: bool", "no bool column %q", by.Text())
		}
		if by.IsSet() && !c.Redactable {
			by.WrongKey("redactable: true", "redacted_by says when a redactable column is taken out for good")
		}
	}
}

// lintEraseChildren checks the children of a record or of an item.
func (d *streamDraft) lintEraseChildren(children *grammar.Value) {
	for _, v := range children.Items() {
		i := slices.IndexFunc(d.stream.Children, func(c Child) bool { return c.Table == v.Key("table").Text()+d.suffix })
		if i >= 0 {
			lintErase(v.Key("columns"), d.stream.Children[i].Columns, d.stream.Columns)
		}
		d.lintEraseChildren(v.Key("children"))
	}
}
