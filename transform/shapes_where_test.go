package transform

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/schemas"
)

// Where a value is found after it was read.
const (
	inColumn  = "in a typed column"
	inJSON    = "in a column of JSON, as sent"
	lookedIn  = "looked into"
	inExtra   = "in `_extra`, as sent"
	leftOut   = "left out by `ignore`"
	isNothing = "null"
	isMisfit  = "dead letter"
	isLost    = "LOST"
)

// valueFinder looks for the values of one record in its rows. It uses only the stream file, no code of the decoder.
type valueFinder struct {
	stream   *schemas.Stream
	rows     map[string][]map[string]any
	rejected map[string]bool // table and column with a reject
	next     map[string]int  // rows of child tables seen so far
	found    map[string]int
	lost     []string
}

// objectLevel is what the fields of one object may go to.
type objectLevel struct {
	table  string
	within string // child whose items these are; "" of the record
	prefix []string
	cols   []schemas.Column
	row    map[string]any
	lists  []string // path from the record, for what the file ignores
}

func (f *valueFinder) childrenOf(l objectLevel) (all []schemas.Child) {
	for _, c := range f.stream.Children {
		if c.Within == l.within {
			all = append(all, c)
		}
	}
	return all
}

// findBelow finds what lies along a path of the record, and all below its end. An empty path looks for everything.
func (f *valueFinder) findBelow(object map[string]any, l objectLevel, along []string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if len(along) > 0 && along[0] != name {
			continue
		}
		inner := l
		inner.prefix, inner.lists = append(slices.Clip(l.prefix), name), append(slices.Clip(l.lists), name)
		f.findValue(object[name], inner, pathRest(along))
	}
}

func pathRest(along []string) []string {
	if len(along) == 0 {
		return nil
	}
	return along[1:]
}

// findValue finds one value, whose path in the row's own object is l.prefix.
func (f *valueFinder) findValue(v any, l objectLevel, along []string) {
	switch {
	case v == nil:
		f.countOutcome(isNothing)
		return
	case f.isIgnored(l.lists):
		f.countOutcome(leftOut)
		return
	}
	if f.inColumns(v, l) {
		return
	}
	if extra, ok := l.row[ExtraColumn].(string); ok {
		if stored, there := valueAt(decodeJSON(extra), l.prefix); there && sameJSON(stored, v) {
			f.countOutcome(map[bool]string{true: isMisfit, false: inExtra}[f.isRejected(l)])
			return
		}
	}
	for _, c := range f.childrenOf(l) {
		if slices.ContainsFunc(c.Places(), func(place []string) bool { return slices.Equal(place, l.prefix) }) && f.findItems(v, c, l, along) {
			return
		}
	}
	if object, isObject := v.(map[string]any); isObject && f.leadsInside(l) {
		if len(along) == 0 {
			f.countOutcome(lookedIn)
		}
		f.findBelow(object, l, along)
		return
	}
	if isEmptyValue(v) {
		f.countOutcome(isNothing) // an empty list where others have an object, and the other way round
		return
	}
	f.countOutcome(isLost)
	f.lost = append(f.lost, fmt.Sprintf("%s.%s: %s in %v", l.table, strings.Join(l.prefix, "."), compactJSON(v), l.row))
}

// inColumns reports whether a column has the value, or one of JSON that is around it.
func (f *valueFinder) inColumns(v any, l objectLevel) bool {
	for _, c := range l.cols {
		if c.IsComputed() {
			continue
		}
		for _, place := range c.Places() {
			if slices.Equal(place, l.prefix) && c.As != "plain_text" && holdsValue(c, l.row[c.Name], v) {
				f.countOutcome(map[bool]string{true: inJSON, false: inColumn}[c.Type == schemas.JSON])
				return true
			}
			if c.Type != schemas.JSON || len(place) >= len(l.prefix) || !slices.Equal(place, l.prefix[:len(place)]) {
				continue
			}
			text, _ := l.row[c.Name].(string)
			if stored, there := valueAt(decodeJSON(text), l.prefix[len(place):]); there && sameJSON(stored, v) {
				f.countOutcome(inJSON)
				return true
			}
		}
	}
	return false
}

// findItems looks at the rows of a nested list; false where the value is no list that the table takes.
func (f *valueFinder) findItems(v any, c schemas.Child, l objectLevel, along []string) bool {
	var items []any
	var keys []string
	switch {
	case c.Entries:
		entries, isObject := v.(map[string]any)
		if !isObject {
			return false
		}
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			switch ignored := f.isIgnored(append(slices.Clip(l.lists), key)); {
			case !ignored:
				items, keys = append(items, entries[key]), append(keys, key)
			case len(along) > 0 && along[0] == key:
				f.countOutcome(map[bool]string{true: isNothing, false: leftOut}[entries[key] == nil])
			}
		}
	default:
		list, isList := v.([]any)
		if !isList {
			return false
		}
		items = list
	}
	if len(along) == 0 {
		f.countOutcome(lookedIn)
	}
	for i, item := range items {
		if item == nil || f.saysNothing(item, f.stream.PathOf(c)) {
			f.countOutcome(isNothing)
			continue
		}
		row := f.rowOfItem(c, i, keys)
		if row == nil {
			f.countOutcome(isLost)
			f.lost = append(f.lost, fmt.Sprintf("%s has no row for %s", c.Table, compactJSON(item)))
			continue
		}
		inner := objectLevel{table: c.Table, within: c.Table, cols: c.Columns, row: row, lists: f.stream.PathOf(c)}
		step := along
		if c.Entries {
			step = pathRest(along)
			if len(along) > 0 && along[0] != keys[i] {
				continue
			}
		}
		if object, isObject := item.(map[string]any); isObject && !slices.ContainsFunc(c.Columns, func(c schemas.Column) bool { return c.From[0] == schemas.FromItem }) {
			f.findBelow(object, inner, step)
			continue
		}
		f.findItem(item, c, row)
	}
	return true
}

// rowOfItem is the row of an item: of entries by its key, of others the next one.
func (f *valueFinder) rowOfItem(c schemas.Child, i int, keys []string) map[string]any {
	if c.Entries {
		for _, row := range f.rows[c.Table] {
			for _, column := range c.Columns {
				if column.From[0] == schemas.FromKey && row[column.Name] == keys[i] {
					return row
				}
			}
		}
		return nil
	}
	n := f.next[c.Table]
	f.next[c.Table]++
	if n >= len(f.rows[c.Table]) {
		return nil
	}
	return f.rows[c.Table][n]
}

// saysNothing reports whether an item has nothing but nulls and what the file ignores.
func (f *valueFinder) saysNothing(item any, path []string) bool {
	object, is := item.(map[string]any)
	for name, v := range object {
		if v != nil && !f.isIgnored(append(slices.Clip(path), name)) {
			return false
		}
	}
	return is
}

// findItem finds an item that is a scalar.
func (f *valueFinder) findItem(item any, c schemas.Child, row map[string]any) {
	for _, column := range c.Columns {
		if column.From[0] == schemas.FromItem && holdsValue(column, row[column.Name], item) {
			f.countOutcome(map[bool]string{true: inJSON, false: inColumn}[column.Type == schemas.JSON])
			return
		}
	}
	f.countOutcome(isLost)
	f.lost = append(f.lost, fmt.Sprintf("%s: %s in %v", c.Table, compactJSON(item), row))
}

// leadsInside reports whether a column or a list is from inside of an object.
func (f *valueFinder) leadsInside(l objectLevel) bool {
	inside := func(place []string) bool {
		return len(place) > len(l.prefix) && slices.Equal(place[:len(l.prefix)], l.prefix)
	}
	return slices.ContainsFunc(l.cols, func(c schemas.Column) bool { return slices.ContainsFunc(c.Places(), inside) }) ||
		slices.ContainsFunc(f.childrenOf(l), func(c schemas.Child) bool { return slices.ContainsFunc(c.Places(), inside) }) ||
		l.within == "" && slices.ContainsFunc(f.stream.Ignore, inside)
}

// isIgnored reports whether the stream file ignores a path.
func (f *valueFinder) isIgnored(path []string) bool {
	// Keys of entries take no part in the paths of a stream file.
	path = slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == schemas.AnyKey })
	is := func(p []string) bool { return slices.Equal(p, path) }
	return slices.ContainsFunc(f.stream.Ignore, is) || slices.ContainsFunc(f.stream.Children, func(c schemas.Child) bool {
		return c.Within == "" && (is(c.Count) || is(c.Rest)) && !slices.ContainsFunc(f.stream.Columns, func(column schemas.Column) bool { return slices.Equal(column.From, path) })
	})
}

// isRejected reports whether a column that is from the value's place did not hold it.
func (f *valueFinder) isRejected(l objectLevel) bool {
	if f.rejected[l.table+" "+strings.Join(l.prefix, ".")] {
		return true
	}
	return slices.ContainsFunc(l.cols, func(c schemas.Column) bool {
		return f.rejected[l.table+" "+c.Name] && slices.ContainsFunc(c.Places(), func(place []string) bool { return slices.Equal(place, l.prefix) })
	})
}

func (f *valueFinder) countOutcome(where string) { f.found[where]++ }

// holdsValue reports whether what a column has stored is the value.
func holdsValue(c schemas.Column, stored, sent any) bool {
	if stored == nil {
		return false
	}
	if c.Type == schemas.JSON {
		text, _ := stored.(string)
		return sameJSON(decodeJSON(text), sent)
	}
	text := ""
	switch v := sent.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	default:
		return false
	}
	switch c.Type {
	case schemas.Text:
		if _, isText := sent.(string); isText && c.As != "" {
			text = TextAs(c.As, text)
		}
		return stored == text
	case schemas.Int:
		return fmt.Sprint(stored) == text
	case schemas.Double:
		number, err := strconv.ParseFloat(text, 64)
		return err == nil && stored == number
	case schemas.Bool:
		return fmt.Sprint(stored) == text
	case schemas.Timestamp:
		moment, err := time.Parse(time.RFC3339, text)
		if seconds, none := strconv.ParseInt(text, 10, 64); none == nil {
			moment, err = time.Unix(seconds, 0), nil
		}
		return err == nil && stored == moment.UTC().Format(time.RFC3339Nano)
	}
	return false
}

func isEmptyValue(v any) bool {
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	return isList && len(list) == 0 || isObject && len(object) == 0
}

// valueAt gives what is at a path of objects.
func valueAt(v any, path []string) (any, bool) {
	for _, name := range path {
		object, is := v.(map[string]any)
		if !is {
			return nil, false
		}
		if v, is = object[name]; !is {
			return nil, false
		}
	}
	return v, true
}

// sameJSON compares two JSON values; numbers as they are written.
func sameJSON(a, b any) bool { return reflect.DeepEqual(a, b) }

func decodeJSON(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if text == "" || d.Decode(&v) != nil {
		return nil
	}
	return v
}

func compactJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
