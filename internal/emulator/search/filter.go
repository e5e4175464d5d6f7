package search

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/event"
)

// filter compiles one {field, operator, value}. The value must have the field's type (workspace-api 4.1.3).
func (r rules[D]) filter(n node) (match[D], error) {
	name, custom := strings.CutPrefix(n.Field, r.of.Prefix)
	f, ok := r.of.Fields[n.Field]
	strict := r.env.Knobs().StrictFilters
	switch {
	case strict && untold(n, f.kind):
		return nil, refuse("operator %s with this value cannot be used with %s", n.Operator, n.Field)
	case custom && strict:
		is, err := r.attribute(n, name)
		return func(num int32, d *D) bool {
			return slices.ContainsFunc(r.of.Attrs(d), func(a event.Attribute) bool { return a.Name == name }) && is(num, d)
		}, err
	case custom:
		return r.attribute(n, name)
	case !ok:
		return nil, refuse("field %q is not known", n.Field)
	}
	switch f.kind {
	case dateField:
		return r.dates(n, f.date)
	case boolField:
		return flags(n, f.flag)
	case tagField:
		return memberships(n, f.ids)
	case numberField:
		is, err := integers(n, f.date)
		if f.rare && n.Operator != "!=" && n.Operator != "NIN" {
			return func(num int32, d *D) bool { return f.date(d) != 0 && is(num, d) }, err
		}
		return is, err
	}
	test, err := textTest(n)
	if err != nil {
		return nil, err
	}
	return func(_ int32, d *D) bool { return test(f.text(d)) }, nil
}

func (r rules[D]) dates(n node, get func(d *D) int64) (match[D], error) {
	t, err := timestamp(n)
	if err != nil {
		return nil, err
	}
	lo, hi, ok := r.reach(n.Operator, t)
	if !ok {
		return nil, refuse("operator %s cannot be used with the Date field %s", n.Operator, n.Field)
	}
	whole, zone, misday := r.whole, r.env.Zone(), int64(r.env.Knobs().Misday/time.Second)
	return func(num int32, d *D) bool {
		at := get(d)
		if whole && misday > 0 {
			at = otherDay(num, at, misday, zone)
		}
		return at != 0 && at >= lo && at < hi
	}, nil
}

func timestamp(n node) (int64, error) {
	want, err := values[int64](n)
	if err != nil || len(want) != 1 {
		return 0, refuse("the value for %s must be a UNIX timestamp", n.Field)
	}
	return want[0], nil
}

// otherDay moves every second record's time near midnight over it, as an index that rounds in another place does.
func otherDay(num int32, at, near int64, zone *time.Location) int64 {
	first, next := event.DayOf(at, zone)
	switch {
	case num%2 == 0:
		return at
	case at-first < near:
		return first - 1
	case next-at <= near:
		return next
	}
	return at
}

func flags[D any](n node, get func(d *D) bool) (match[D], error) {
	want, err := values[bool](n)
	if err != nil {
		return nil, err
	}
	return among(n, func(d *D) bool { return slices.Contains(want, get(d)) })
}

// untold says that the document does not tell what a filter means: one of the values of an empty list, or part of the text of
// one of several.
func untold(n node, kind fieldKind) bool {
	switch n.Operator {
	case "IN", "NIN":
		var list []json.RawMessage
		return json.Unmarshal(n.Value, &list) == nil && len(list) == 0
	case "=", "!=":
		return false
	}
	return kind == tagField
}

// among answers the operators that ask whether something is one of the values, or is none of them.
func among[D any](n node, is func(d *D) bool) (match[D], error) {
	switch n.Operator {
	case "=", "IN":
		return func(_ int32, d *D) bool { return is(d) }, nil
	case "!=", "NIN":
		return func(_ int32, d *D) bool { return !is(d) }, nil
	}
	return nil, refuse("operator %s cannot be used with the Boolean field %s", n.Operator, n.Field)
}

// integers answers the fields that are integers, to whom all comparisons are open.
func integers[D any](n node, get func(d *D) int64) (match[D], error) {
	want, err := values[int64](n)
	if err != nil {
		return nil, err
	}
	var test func(have int64) bool
	switch first := append(want, 0)[0]; n.Operator {
	case "=", "IN":
		test = func(have int64) bool { return slices.Contains(want, have) }
	case "!=", "NIN":
		test = func(have int64) bool { return !slices.Contains(want, have) }
	case ">":
		test = func(have int64) bool { return have > first }
	case "<":
		test = func(have int64) bool { return have < first }
	case ">=":
		test = func(have int64) bool { return have >= first }
	case "<=":
		test = func(have int64) bool { return have <= first }
	default:
		return nil, refuse("operator %s cannot be used with the Integer field %s", n.Operator, n.Field)
	}
	return func(_ int32, d *D) bool { return test(get(d)) }, nil
}

// opposites are the operators that deny another.
var opposites = map[string]string{"!=": "=", "NIN": "IN", "!~": "~"}

// memberships answers String fields of which a record has several: one of them must be as asked, or none. tag_id accepts only
// = and != (workspace-api 4.1.4).
func memberships[D any](n node, get func(d *D) []string) (match[D], error) {
	if n.Field == "tag_id" && n.Operator != "=" && n.Operator != "!=" {
		return nil, refuse("tag_id accepts only = and !=")
	}
	plain, denied := opposites[n.Operator]
	if denied {
		n.Operator = plain
	}
	test, err := textTest(n)
	if err != nil {
		return nil, err
	}
	return func(_ int32, d *D) bool { return slices.ContainsFunc(get(d), test) != denied }, nil
}

// values reads a filter's value: a list for IN and NIN, one value otherwise.
func values[T comparable](n node) ([]T, error) {
	var list []*T
	if n.Operator == "IN" || n.Operator == "NIN" {
		if err := json.Unmarshal(n.Value, &list); err != nil || list == nil {
			return nil, refuse("the value for %s with %s must be a list of the field's type", n.Field, n.Operator)
		}
	} else {
		var one *T
		if err := json.Unmarshal(n.Value, &one); err != nil {
			return nil, refuse("the value for %s must match the type of the field", n.Field)
		}
		list = []*T{one}
	}
	out := make([]T, len(list))
	for i, p := range list {
		if p == nil {
			return nil, refuse("the value for %s must not be null", n.Field)
		}
		out[i] = *p
	}
	return out, nil
}

func textTest(n node) (func(s string) bool, error) {
	want, err := values[string](n)
	if err != nil {
		return nil, err
	}
	first := ""
	if len(want) > 0 {
		first = want[0]
	}
	switch n.Operator {
	case "=", "IN":
		return func(s string) bool { return slices.Contains(want, s) }, nil
	case "!=", "NIN":
		return func(s string) bool { return !slices.Contains(want, s) }, nil
	case "~":
		return func(s string) bool { return strings.Contains(s, first) }, nil
	case "!~":
		return func(s string) bool { return !strings.Contains(s, first) }, nil
	case "^":
		return func(s string) bool { return strings.HasPrefix(s, first) }, nil
	case "$":
		return func(s string) bool { return strings.HasSuffix(s, first) }, nil
	}
	return nil, refuse("operator %s cannot be used with the String field %s", n.Operator, n.Field)
}

// attribute compiles a filter on a custom attribute, whose type is that of the value asked for: what is of another type, or
// is not there, equals nothing. The one that the workspace defines as a date follows the rules for dates, in UTC days after
// 2.16 (workspace-api 9).
func (r rules[D]) attribute(n node, name string) (match[D], error) {
	if name == event.DateAttribute {
		return r.dateAttribute(n)
	}
	get := func(d *D) string {
		for _, a := range r.of.Attrs(d) {
			if a.Name == name {
				return a.Raw
			}
		}
		return ""
	}
	if want, err := values[float64](n); err == nil && len(want) > 0 {
		test, ok := numberTests[n.Operator]
		if !ok {
			return nil, refuse("operator %s cannot be used with a number", n.Operator)
		}
		return func(_ int32, d *D) bool {
			have, err := strconv.ParseFloat(get(d), 64)
			if err != nil {
				have = math.NaN()
			}
			return test(have, want)
		}, nil
	}
	if want, err := values[bool](n); err == nil && len(want) > 0 {
		return among(n, func(d *D) bool {
			have := get(d)
			return slices.ContainsFunc(want, func(b bool) bool { return strconv.FormatBool(b) == have })
		})
	}
	test, err := textTest(n)
	if err != nil {
		return nil, err
	}
	return func(_ int32, d *D) bool {
		var s string
		_ = json.Unmarshal([]byte(get(d)), &s) // a value of another type is no text, and not equal
		return test(s)
	}, nil
}

var numberTests = map[string]func(have float64, want []float64) bool{
	"=":   func(have float64, want []float64) bool { return have == want[0] },
	"!=":  func(have float64, want []float64) bool { return have != want[0] },
	">":   func(have float64, want []float64) bool { return have > want[0] },
	"<":   func(have float64, want []float64) bool { return have < want[0] },
	">=":  func(have float64, want []float64) bool { return have >= want[0] },
	"<=":  func(have float64, want []float64) bool { return have <= want[0] },
	"IN":  func(have float64, want []float64) bool { return slices.Contains(want, have) },
	"NIN": func(have float64, want []float64) bool { return !slices.Contains(want, have) },
}

func (r rules[D]) dateAttribute(n node) (match[D], error) {
	zone := time.UTC
	if r.whole {
		zone = r.env.Zone()
	}
	t, err := timestamp(n)
	if err != nil {
		return nil, err
	}
	first, next := event.DayOf(t, zone)
	lo, hi := first, next
	switch n.Operator {
	case "=":
	case ">":
		lo, hi = next, math.MaxInt64
	case "<":
		lo, hi = math.MinInt64, first
	default:
		return nil, refuse("operator %s cannot be used with the Date attribute %s", n.Operator, n.Field)
	}
	return func(_ int32, d *D) bool {
		for _, a := range r.of.Attrs(d) {
			if a.Name == event.DateAttribute {
				at, err := strconv.ParseInt(a.Raw, 10, 64)
				return err == nil && at >= lo && at < hi
			}
		}
		return false
	}, nil
}
