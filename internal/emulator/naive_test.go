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

// searchField is a searchable field: its type, and its value in a row of the oracle. Without get the oracle does not have it.
type searchField struct {
	name, kind string
	get        func(row map[string]any) any
}

// dayZones say how a version compares times: by day in a zone, or exactly (nil).
type dayZones struct{ standard, custom *time.Location }

// daysOf returns the rule of section 4.1.5 up to 2.16, and that of section 9 later.
func daysOf(version string, zone *time.Location) dayZones {
	if version == "2.17" {
		return dayZones{nil, time.UTC}
	}
	return dayZones{zone, zone}
}

// columnField returns a field with a column in the oracle.
func columnField(name, kind, from string) searchField {
	return searchField{name, kind, func(row map[string]any) any { return row[from] }}
}

// columnFields returns fields with columns of the same name, with _ for dots.
func columnFields(kind, names string) (list []searchField) {
	for _, name := range strings.Fields(names) {
		list = append(list, columnField(name, kind, strings.ReplaceAll(name, ".", "_")))
	}
	return list
}

// memberField returns a field with several values per record, from a stream of the oracle.
func (c *apiClient) memberField(name, kind, stream, owner, item string) searchField {
	of := map[any][]string{}
	for _, row := range c.w.Oracle(stream) {
		of[row[owner]] = append(of[row[owner]], row[item].(string))
	}
	return searchField{name, kind, func(row map[string]any) any { return of[row["id"]] }}
}

// attributeFields returns the custom attributes of rows: one field for each type of their values.
func attributeFields(t testing.TB, rows []map[string]any) (list []searchField) {
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
			list = append(list, searchField{"custom_attributes." + name, kind, func(row map[string]any) any { return attributesOf(t, row)[name] }})
		}
	}
	slices.SortFunc(list, func(a, b searchField) int { return strings.Compare(a.name+a.kind, b.name+b.kind) })
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

// matchesRow reports whether a row matches a filter or a group, by the words of the document.
func (d dayZones) matchesRow(fields []searchField, query m, row map[string]any) bool {
	if op := query["operator"]; op == "AND" || op == "OR" {
		for _, inner := range query["value"].([]any) {
			if d.matchesRow(fields, inner.(m), row) == (op == "OR") {
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
			return operatorHolds(f.kind, query["operator"].(string), f.get(row), query["value"], zone)
		}
	}
	panic(fmt.Sprintf("nothing is called %v", query["field"]))
}

// kindOf returns the type by which a value queries a field: for a custom attribute that of the value.
func kindOf(f searchField, value any) string {
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

// operatorHolds implements the table of operators (workspace-api 4.1). A negation holds wherever its opposite does not.
func operatorHolds(kind, op string, have, want any, zone *time.Location) bool {
	if opposite, denies := map[string]string{"!=": "=", "NIN": "IN", "!~": "~"}[op]; denies {
		return !operatorHolds(kind, opposite, have, want, zone)
	}
	if list, several := have.([]string); several {
		return slices.ContainsFunc(list, func(one string) bool { return operatorHolds(kind, op, one, want, zone) })
	}
	if op == "IN" {
		return slices.ContainsFunc(want.([]any), func(one any) bool { return operatorHolds(kind, "=", have, one, zone) })
	}
	switch kind {
	case "Date":
		return have != nil && compareNumbers(op, comparableTime(have, zone), comparableTime(want, zone))
	case "Integer":
		return have != nil && isNumber(have) && compareNumbers(op, parseNumber(have), parseNumber(want))
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

// comparableTime returns a time to compare: its second, or the first second of its date in a zone.
func comparableTime(v any, zone *time.Location) float64 {
	at := parseNumber(v)
	if zone == nil {
		return at
	}
	y, month, d := time.Unix(int64(at), 0).In(zone).Date()
	return float64(time.Date(y, month, d, 0, 0, 0, 0, time.UTC).Unix())
}

func parseNumber(v any) float64 {
	n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil {
		panic(err)
	}
	return n
}

func compareNumbers(op string, a, b float64) bool {
	return map[string]bool{"=": a == b, ">": a > b, "<": a < b, ">=": a >= b, "<=": a <= b}[op]
}
