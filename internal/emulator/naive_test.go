package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// named is a name that search knows: its type, and what a row of the oracle has for it. Without get the oracle does not tell.
type named struct {
	name, kind string
	get        func(row map[string]any) any
}

// days are how a version matches times: by day in a zone, or exactly (nil).
type days struct{ standard, custom *time.Location }

// daysOf is section 4.1.5 up to 2.16, and section 9 later.
func daysOf(version string, zone *time.Location) days {
	if version == "2.17" {
		return days{nil, time.UTC}
	}
	return days{zone, zone}
}

// column is a name that the oracle has a column for.
func column(name, kind, from string) named {
	return named{name, kind, func(row map[string]any) any { return row[from] }}
}

// columns are names whose columns are called like them, but for their dots.
func columns(kind, names string) (list []named) {
	for _, name := range strings.Fields(names) {
		list = append(list, column(name, kind, strings.ReplaceAll(name, ".", "_")))
	}
	return list
}

// members gives a name that a record has several of, from a stream of the oracle.
func (c *client) members(name, kind, stream, owner, item string) named {
	of := map[any][]string{}
	for _, row := range c.w.Oracle(stream) {
		of[row[owner]] = append(of[row[owner]], row[item].(string))
	}
	return named{name, kind, func(row map[string]any) any { return of[row["id"]] }}
}

// attributes gives the custom attributes of rows, one name for each type that its values have.
func attributes(t testing.TB, rows []map[string]any) (list []named) {
	known := map[string]bool{}
	for _, row := range rows {
		for name, v := range attributesOf(t, row) {
			kind := map[string]string{"string": "String", "bool": "Boolean", "json.Number": "Integer"}[fmt.Sprintf("%T", v)]
			if name == "renewal_date" {
				kind = "Date"
			}
			if kind == "" || known[kind+name] {
				continue
			}
			known[kind+name] = true
			list = append(list, named{"custom_attributes." + name, kind, func(row map[string]any) any { return attributesOf(t, row)[name] }})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name+a.kind, b.name+b.kind) })
	return list
}

func attributesOf(t testing.TB, row map[string]any) map[string]any {
	t.Helper()
	var attrs map[string]any
	dec := json.NewDecoder(strings.NewReader(row["custom_attributes"].(string)))
	dec.UseNumber()
	if err := dec.Decode(&attrs); err != nil {
		t.Fatal(err)
	}
	return attrs
}

// naive says what the document says of a filter or a group and a row, word by word.
func (d days) naive(fields []named, query m, row map[string]any) bool {
	if op := query["operator"]; op == "AND" || op == "OR" {
		for _, inner := range query["value"].([]any) {
			if d.naive(fields, inner.(m), row) == (op == "OR") {
				return op == "OR"
			}
		}
		return op == "AND"
	}
	for _, f := range fields {
		if f.name == query["field"] && f.kind == kindOf(f, query["value"]) {
			zone := d.standard
			if strings.HasPrefix(f.name, "custom_attributes.") {
				zone = d.custom
			}
			return holds(f.kind, query["operator"].(string), f.get(row), query["value"], zone)
		}
	}
	panic(fmt.Sprintf("nothing is called %v", query["field"]))
}

// kindOf is the type under which a value asks for a name: that of a custom attribute is the value's.
func kindOf(f named, value any) string {
	if !strings.HasPrefix(f.name, "custom_attributes.") || f.kind == "Date" {
		return f.kind
	}
	if list, ok := value.([]any); ok {
		value = list[0]
	}
	return map[string]string{"string": "String", "bool": "Boolean"}[fmt.Sprintf("%T", value)] + map[bool]string{true: "Integer"}[isNumber(value)]
}

func isNumber(v any) bool {
	_, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	_, text := v.(string)
	return err == nil && !text
}

// holds is the table of operators (workspace-api 4.1). One that denies holds for all that its opposite does not hold for.
func holds(kind, op string, have, want any, zone *time.Location) bool {
	if opposite, denies := map[string]string{"!=": "=", "NIN": "IN", "!~": "~"}[op]; denies {
		return !holds(kind, opposite, have, want, zone)
	}
	if list, several := have.([]string); several {
		return slices.ContainsFunc(list, func(one string) bool { return holds(kind, op, one, want, zone) })
	}
	if op == "IN" {
		return slices.ContainsFunc(want.([]any), func(one any) bool { return holds(kind, "=", have, one, zone) })
	}
	switch kind {
	case "Date":
		return have != nil && compares(op, moment(have, zone), moment(want, zone))
	case "Integer":
		return have != nil && isNumber(have) && compares(op, parsed(have), parsed(want))
	case "Boolean":
		return have == want
	}
	text, _ := have.(string)
	switch words := want.(string); op {
	case "=":
		return text == words
	case "~":
		return strings.Contains(text, words)
	case "^":
		return strings.HasPrefix(text, words)
	case "$":
		return strings.HasSuffix(text, words)
	}
	panic(op)
}

// moment is a time to compare: the second, or the first one of its date in a zone.
func moment(v any, zone *time.Location) float64 {
	at := parsed(v)
	if zone == nil {
		return at
	}
	y, month, d := time.Unix(int64(at), 0).In(zone).Date()
	return float64(time.Date(y, month, d, 0, 0, 0, 0, time.UTC).Unix())
}

func parsed(v any) float64 {
	n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil {
		panic(err)
	}
	return n
}

func compares(op string, a, b float64) bool {
	return map[string]bool{"=": a == b, ">": a > b, "<": a < b, ">=": a >= b, "<=": a <= b}[op]
}
