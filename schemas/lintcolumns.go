package schemas

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/grammar"
)

func (d *streamDraft) lintColumns() {
	own := d.file.Key("columns")
	if len(d.stream.Columns) == 0 && d.like == "" {
		if !own.HasRefusedKeys() { // those were reported
			own.Wrong("columns: [{name: id, type: text}]", "a stream needs columns")
		}
		return
	}
	inherited := d.stream.Columns[:len(d.stream.Columns)-len(own.Items())]
	lintColumns(own, inherited, d.stream.Columns)
	for _, v := range own.Items() {
		for _, from := range v.Key("from").Items() {
			switch root, _, _ := strings.Cut(from.Text(), "."); {
			case root == FromParent || root == FromPosition || root == FromKey || root == FromItem:
				from.Wrong("", "only the table of a nested list has %s", root)
			case root == FromOver && d.stream.Read.Over == nil:
				from.Wrong("", "the stream has no over")
			}
		}
	}
	for _, v := range d.file.Key("children").Items() {
		lintPlaces(v.Key("from"), d.stream.Columns)
	}
}

// lintColumns checks the columns that a file declares; all are those of the table, the inherited ones first.
func lintColumns(v *grammar.Value, inherited, all []Column) {
	places := map[string]string{}
	for _, c := range inherited {
		places[c.Name] = "a column that is there already"
	}
	// A scalar column may take a field of an object that a JSON column takes whole.
	closed := slices.DeleteFunc(slices.Clone(all), func(c Column) bool { return c.Type == JSON })
	for _, item := range v.Items() {
		name, from := item.Key("name"), item.Key("from")
		if other, twice := places[name.Text()]; twice && name.IsSet() {
			name.Wrong("", "%q is the name of %s", name.Text(), other)
		}
		places[name.Text()] = item.Path() + " too"
		lintAs(item, all)
		lintDefault(item.Key("default"), Type(item.Key("type").Text()))
		if attributes := item.Key("attributes"); attributes.IsSet() && item.Key("type").IsSet() && Type(item.Key("type").Text()) != JSON {
			attributes.Wrong("type: json", "only an object (type json) can have attributes")
		}
		lintWords(item)
		around := closed
		if Type(item.Key("type").Text()) == JSON {
			around = all
		}
		for _, place := range from.Items() {
			lintSource(place, item.Key("type"))
		}
		lintPlaces(from, around)
	}
}

// lintAs refuses conversions that do not fit the type, and has_text where no column before it stores the plain text.
func lintAs(column *grammar.Value, all []Column) {
	as, typ, fit := column.Key("as"), column.Key("type"), Text
	if as.Text() == HasText {
		fit = Bool
		own := slices.IndexFunc(all, func(c Column) bool { return c.Name == column.Key("name").Text() })
		if own >= 0 && !slices.ContainsFunc(all[:own], func(c Column) bool {
			return c.As == PlainText && slices.EqualFunc(c.Places(), all[own].Places(), slices.Equal)
		}) {
			as.Wrong("put a column with as: plain_text and the same from before it", "no column before it stores the plain text")
		}
	}
	if as.IsSet() && typ.IsSet() && Type(typ.Text()) != fit {
		as.Wrong("", "only type %s can have as: %s", fit, as.Text())
	}
}

// lintWords refuses words of a column whose values are no closed list, or must not be repeated in the log of schema drift.
func lintWords(column *grammar.Value) {
	words, typ := column.Key("words"), column.Key("type")
	if words.IsSet() && typ.IsSet() && (Type(typ.Text()) != Text || column.Key("as").IsSet()) {
		words.Wrong("", "only a text as it is sent (type text, without as) can have words")
	}
	if words.IsSet() && (column.Key("pii").Bool() || column.Key("person").Bool() || column.Key("redactable").Bool()) {
		words.Wrong("", "a column with personal data cannot have words: new ones are written to the log of schema drift")
	}
}

// lintDefault refuses a default that the column cannot hold.
func lintDefault(v *grammar.Value, typ Type) {
	if !v.IsSet() || typ == "" {
		return
	}
	if n, err := strconv.ParseInt(v.Text(), 10, 64); typ == Int && (err != nil || strconv.FormatInt(n, 10) != v.Text()) {
		v.Wrong("e.g. default: 0", "%q is not a whole number as JSON writes it", v.Text())
	}
	if typ != Int && typ != Text {
		v.WrongKey("", "only an int or a text has a default")
	}
}

// lintSource checks that a $ source has the column's type.
func lintSource(from, typ *grammar.Value) {
	gives := map[string]Type{FromReadAt: Timestamp, FromOver: Text, FromPosition: Int, FromKey: Text, FromErased: Bool}
	if want, ok := gives[from.Text()]; ok && typ.IsSet() && Type(typ.Text()) != want {
		typ.Wrong("", "%s gives %s", from.Text(), want)
	}
}

// lintPlaces checks the paths of a column or a list.
func lintPlaces(from *grammar.Value, all []Column) {
	seen := map[string]bool{}
	for _, place := range from.Items() {
		if strings.HasPrefix(place.Text(), "$") && len(from.Items()) > 1 {
			place.Wrong("", "%s must be the only source: only paths in the record can be alternatives", place.Text())
		}
		if seen[place.Text()] {
			place.Wrong("", "%q is given twice", place.Text())
		}
		seen[place.Text()] = true
		lintInside(place, splitPath(place.Text()), all)
	}
}

// lintInside refuses a path inside a value that another column takes whole: a field has one column. A column with a further path
// inside its own place expects an object there, and is allowed.
func lintInside(v *grammar.Value, path []string, all []Column) {
	for _, c := range all {
		if !slices.ContainsFunc(c.Places(), func(place []string) bool { return isInside(place, path) && !c.fillsFromInside(place) }) {
			continue
		}
		v.Wrong("", "%q is inside the value that column %q takes as a whole", strings.Join(path, "."), c.Name)
	}
}

// isInside reports whether a path leads into the value at a place.
func isInside(place, path []string) bool {
	return len(place) < len(path) && slices.Equal(place, path[:len(place)])
}

// fillsFromInside reports whether the column also has a path inside one of its places.
func (c Column) fillsFromInside(place []string) bool {
	return slices.ContainsFunc(c.Places(), func(other []string) bool { return isInside(place, other) })
}

func (d *streamDraft) lintKey() {
	key, newest := d.file.Key("key"), d.file.Key("newest")
	if len(d.stream.Key) == 0 && d.like == "" && !key.IsGiven() {
		d.file.Key("stream").WrongKey("e.g. key: [id]", `key "key" is missing`)
	}
	lintKey(key, d.stream.Columns)
	if newest.IsSet() {
		if c, ok := findColumn(d.stream.Columns, newest.Text()); !ok || c.Type != Timestamp {
			var times []string
			for _, c := range d.stream.Columns {
				if c.Type == Timestamp {
					times = append(times, c.Name)
				}
			}
			newest.Wrong(cmp.Or(grammar.DidYouMean(newest.Text(), times), "declare it in columns"), "no timestamp column %q", newest.Text())
		}
	}
}

func lintKey(key *grammar.Value, columns []Column) {
	seen := map[string]bool{}
	for _, v := range key.Items() {
		if seen[v.Text()] {
			v.Wrong("", "%q is twice in the key", v.Text())
		}
		seen[v.Text()] = true
		c, ok := findColumn(columns, v.Text())
		if !ok {
			v.Wrong(cmp.Or(grammar.DidYouMean(v.Text(), columnNames(columns)), "declare it in columns"), "no column %q", v.Text())
			continue
		}
		if c.Type == JSON || c.Type == Double || c.Type == Bool {
			v.Wrong("", "a column of type %s cannot be part of a key", c.Type)
		}
		if len(c.Or) > 0 {
			v.Wrong("", "a key column has exactly one source")
		}
	}
}

// countChildren is the number of children that a file declares, nested ones included.
func countChildren(children *grammar.Value) int {
	n := 0
	for _, v := range children.Items() {
		n += 1 + countChildren(v.Key("children"))
	}
	return n
}

// lintChildren checks the children of a record or of an item. built are these children and those inside them, in the file's
// order.
func (d *streamDraft) lintChildren(children *grammar.Value, in parentList, built []Child) {
	for _, v := range children.Items() {
		c, inner := built[0], v.Key("children")
		lintChild(v, in, c)
		d.lintList(v.Key("from"), in.columns, c)
		for _, list := range inner.Items() {
			lintPlaces(list.Key("from"), c.Columns)
		}
		d.lintChildren(inner, parentList{key: c.Key, columns: c.Columns}, built[1:])
		built = built[1+countChildren(inner):]
	}
}

// lintList refuses a list that other rows take: a value of a column, the list of another table, or a list inside its items, which would be lost.
func (d *streamDraft) lintList(from *grammar.Value, around []Column, c Child) {
	for _, v := range from.Items() {
		place := splitPath(v.Text())
		for _, column := range around {
			if column.Type != Text && column.Type != JSON && slices.ContainsFunc(column.Places(), func(of []string) bool { return slices.Equal(of, place) }) {
				v.Wrong("", "%q is the value of column %q, of type %s", v.Text(), column.Name, column.Type)
			}
		}
		for _, other := range d.stream.Children {
			if other.Table == c.Table || other.Within != c.Within {
				continue
			}
			as := Column{From: other.From, Or: other.Or}
			for _, of := range other.Places() {
				switch {
				case slices.Equal(of, place):
					v.Wrong("add the columns to that table", "%q is the list of table %q already", v.Text(), other.Table)
				case isInside(of, place) && !as.fillsFromInside(of):
					v.Wrong("write it in children: of that table", "%q is inside the items of table %q", v.Text(), other.Table)
				}
			}
		}
	}
}

func lintChild(v *grammar.Value, in parentList, c Child) {
	key := v.Key("key")
	lintColumns(v.Key("columns"), nil, c.Columns)
	lintKey(key, c.Columns)
	if key.IsSet() && len(c.Key) <= len(in.key) {
		key.Wrong("", "the key needs the columns of the parent's key (%q), then at least one more column", strings.Join(in.key, ", "))
	}
	for _, capped := range []*grammar.Value{v.Key("count"), v.Key("rest")} {
		if capped.IsGiven() && c.Entries {
			capped.WrongKey("", "%s: the entries of an object are always complete", capped.Path())
		}
	}
	for i, parent := range in.key {
		column, ok := findColumn(c.Columns, itemAt(c.Key, i))
		isParents := func(name string) bool {
			of, _ := findColumn(c.Columns, name)
			return slices.Equal(of.From, []string{FromParent, parent})
		}
		if ok && !slices.ContainsFunc(c.Key[:min(len(in.key), len(c.Key))], isParents) {
			key.Items()[i].Wrong("omit the column, or set from: \"$parent."+parent+"\"", "column %q must be the parent's column %q", column.Name, parent)
		} else if from := itemAt(column.From, 1); ok && column.Name != from && slices.Contains(in.key, column.Name) {
			key.Items()[i].Wrong("write the parent's key in its order", "column %q would hold the parent's column %q", column.Name, from)
		}
	}
	if rest := v.Key("rest"); rest.IsGiven() && len(c.Or) > 0 {
		rest.WrongKey("", "%s: a list with rest has exactly one path", rest.Path())
	}
	for _, column := range v.Key("columns").Items() {
		for _, from := range column.Key("from").Items() {
			lintChildSource(from, column.Key("type"), in, c)
		}
	}
}

// lintChildSource checks the source of a column in a child's table.
func lintChildSource(from, typ *grammar.Value, in parentList, c Child) {
	name, ok := strings.CutPrefix(from.Text(), FromParent+".")
	above, known := findColumn(in.columns, name)
	if ok && !known {
		from.Wrong(grammar.DidYouMean(name, columnNames(in.columns)), "the parent has no column %q", name)
	} else if ok && typ.IsSet() && above.Type != "" && Type(typ.Text()) != above.Type {
		typ.Wrong(fmt.Sprintf("write type: %s", above.Type), "the parent's column %q has type %s", name, above.Type)
	}
	if from.Text() == FromKey && !c.Entries || from.Text() == FromPosition && c.Entries {
		from.Wrong("", "entries of an object have a $key, items of a list have a $position")
	}
	if root := splitPath(from.Text()); len(root) > 0 && (root[0] == FromReadAt || root[0] == FromOver) {
		from.Wrong("take it from $parent", "only the stream's own table has %s", root[0])
	}
}

func columnNames(columns []Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}

// lintReferences refuses a reference to a column that no stream fills in its table. Tables that are made from others are not looked into.
func (c *Catalogue) lintReferences(columns *grammar.Value) {
	for _, v := range columns.Items() {
		to := v.Key("references")
		table, column, _ := strings.Cut(to.Text(), ".")
		var there []string
		var kind Type
		for _, other := range c.drafts {
			if other.stream.Table == table && !other.stream.Internal {
				there = append(there, columnNames(other.stream.Columns)...)
				if to, found := findColumn(other.stream.Columns, column); found {
					kind = to.Type
				}
			}
		}
		if len(there) > 0 && !slices.Contains(there, column) {
			slices.Sort(there)
			to.Wrong(cmp.Or(grammar.DidYouMean(column, slices.Compact(there)), "list the columns: aqueduck streams "+table), "table %q has no column %q", table, column)
		}
		if own := v.Key("type"); to.IsSet() && own.IsSet() && kind != "" && Type(own.Text()) != kind {
			to.Wrong(fmt.Sprintf("write type: %s", kind), "%s.%s has type %s, and this column %s", table, column, kind, own.Text())
		}
	}
}
