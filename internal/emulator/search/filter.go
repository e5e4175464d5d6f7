package search

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/event"
)

// compileFilter compiles one {field, operator, value}. The value must have the field's type (workspace-api 4.1.3).
func (r queryRules[D]) compileFilter(n filterNode) (matchFunc[D], error) {
	name, custom := strings.CutPrefix(n.Field, r.of.Prefix)
	f, ok := r.of.Fields[n.Field]
	strict := r.env.Knobs().StrictFilters
	switch {
	case strict && isUndocumented(n, f.kind):
		return nil, refuseSearch("operator %s with this value cannot be used with %s", n.Operator, n.Field)
	case custom && strict:
		is, err := r.attributeFilter(n, name)
		return func(num int32, d *D) bool {
			return slices.ContainsFunc(r.of.Attrs(d), func(a event.Attribute) bool { return a.Name == name }) && is(num, d)
		}, err
	case custom:
		return r.attributeFilter(n, name)
	case !ok:
		return nil, refuseSearch("field %q is not known", n.Field)
	}
	switch f.kind {
	case dateField:
		return r.dateFilter(n, f.date)
	case boolField:
		return boolFilter(n, f.flag)
	case tagField:
		return setFilter(n, f.ids)
	case numberField:
		is, err := integerFilter(r.numbersFromText(n), f.date)
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

func (r queryRules[D]) dateFilter(n filterNode, get func(d *D) int64) (matchFunc[D], error) {
	t, err := filterTime(r.numbersFromText(n))
	if err != nil {
		return nil, err
	}
	lo, hi, ok := r.operatorRange(n.Operator, t)
	if !ok {
		return nil, refuseSearch("operator %s cannot be used with the Date field %s", n.Operator, n.Field)
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

// filterTime is the time of a filter. Public clients also send whole seconds as 1640995200.0.
func filterTime(n filterNode) (int64, error) {
	want, err := filterValues[float64](n)
	if err != nil || len(want) != 1 || want[0] != math.Trunc(want[0]) || math.Abs(want[0]) > 1<<53 {
		return 0, refuseSearch("the value for %s must be a UNIX timestamp", n.Field)
	}
	return int64(want[0]), nil
}

// otherDay moves every second record's time near midnight to the other day, like an index that rounds in another place.
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

func boolFilter[D any](n filterNode, get func(d *D) bool) (matchFunc[D], error) {
	want, err := filterValues[bool](n)
	if err != nil {
		return nil, err
	}
	return membershipTest(n, func(d *D) bool { return slices.Contains(want, get(d)) })
}

// isUndocumented reports whether the document does not define a filter: an empty list of values, or a part of the text of a field with several
// values.
func isUndocumented(n filterNode, kind fieldKind) bool {
	switch n.Operator {
	case "IN", "NIN":
		var list []json.RawMessage
		return json.Unmarshal(n.Value, &list) == nil && len(list) == 0
	case "=", "!=":
		return false
	}
	return kind == tagField
}

// membershipTest compiles the operators IN and NIN, where is reports whether a record has one of the values.
func membershipTest[D any](n filterNode, is func(d *D) bool) (matchFunc[D], error) {
	switch n.Operator {
	case "=", "IN":
		return func(_ int32, d *D) bool { return is(d) }, nil
	case "!=", "NIN":
		return func(_ int32, d *D) bool { return !is(d) }, nil
	}
	return nil, refuseSearch("operator %s cannot be used with the Boolean field %s", n.Operator, n.Field)
}

// numbersFromText returns a filter whose texts that are numbers are numbers, where the knob asks for it: some clients send times as text.
func (r queryRules[D]) numbersFromText(n filterNode) filterNode {
	if r.env.Knobs().TextTimes {
		n.Value = quotedNumber.ReplaceAll(n.Value, []byte("$1"))
	}
	return n
}

// quotedNumber matches a text in JSON that is a number.
var quotedNumber = regexp.MustCompile(`"(-?[0-9]+(?:\.[0-9]+)?)"`)

// integerValues reads the whole numbers of a filter. Public clients also send them as 12.0.
func integerValues(n filterNode) ([]int64, error) {
	if want, err := filterValues[int64](n); err == nil {
		return want, nil
	}
	numbers, err := filterValues[float64](n)
	want := make([]int64, len(numbers))
	for i, number := range numbers {
		if number != math.Trunc(number) || math.Abs(number) > 1<<53 {
			return nil, refuseSearch("the value for %s must be a whole number", n.Field)
		}
		want[i] = int64(number)
	}
	return want, err
}

// integerFilter compiles a filter on an integer field, which allows all comparisons.
func integerFilter[D any](n filterNode, get func(d *D) int64) (matchFunc[D], error) {
	want, err := integerValues(n)
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
		return nil, refuseSearch("operator %s cannot be used with the Integer field %s", n.Operator, n.Field)
	}
	return func(_ int32, d *D) bool { return test(get(d)) }, nil
}

// opposites are the operators that negate another one.
var opposites = map[string]string{"!=": "=", "NIN": "IN", "!~": "~"}

// setFilter compiles a filter on a String field with several values: one of them must match, or none for a negation. tag_id accepts only = and
// != (workspace-api 4.1.4).
func setFilter[D any](n filterNode, get func(d *D) []string) (matchFunc[D], error) {
	if n.Field == "tag_id" && n.Operator != "=" && n.Operator != "!=" {
		return nil, refuseSearch("tag_id accepts only = and !=")
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

// filterValues reads a filter's value: a list for IN and NIN, one value otherwise.
func filterValues[T comparable](n filterNode) ([]T, error) {
	var list []*T
	if n.Operator == "IN" || n.Operator == "NIN" {
		if err := json.Unmarshal(n.Value, &list); err != nil || list == nil {
			return nil, refuseSearch("the value for %s with %s must be a list of the field's type", n.Field, n.Operator)
		}
	} else {
		var one *T
		if err := json.Unmarshal(n.Value, &one); err != nil {
			return nil, refuseSearch("the value for %s must match the type of the field", n.Field)
		}
		list = []*T{one}
	}
	out := make([]T, len(list))
	for i, p := range list {
		if p == nil {
			return nil, refuseSearch("the value for %s must not be null", n.Field)
		}
		out[i] = *p
	}
	return out, nil
}

func textTest(n filterNode) (func(s string) bool, error) {
	want, err := filterValues[string](n)
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
	return nil, refuseSearch("operator %s cannot be used with the String field %s", n.Operator, n.Field)
}

// attributeFilter compiles a filter on a custom attribute. The value's type selects the comparison: an attribute of another type, or a missing
// one, equals nothing. The attribute that the workspace defines as a date follows the rules for dates, in UTC days after 2.16 (workspace-api
// 9).
func (r queryRules[D]) attributeFilter(n filterNode, name string) (matchFunc[D], error) {
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
	if want, err := filterValues[float64](n); err == nil && len(want) > 0 {
		test, ok := numberTests[n.Operator]
		if !ok {
			return nil, refuseSearch("operator %s cannot be used with a number", n.Operator)
		}
		return func(_ int32, d *D) bool {
			have, err := strconv.ParseFloat(get(d), 64)
			if err != nil {
				have = math.NaN()
			}
			return test(have, want)
		}, nil
	}
	if want, err := filterValues[bool](n); err == nil && len(want) > 0 {
		return membershipTest(n, func(d *D) bool {
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
		_ = json.Unmarshal([]byte(get(d)), &s) // a value of another type is not text, and so not equal
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

func (r queryRules[D]) dateAttribute(n filterNode) (matchFunc[D], error) {
	zone := time.UTC
	if r.whole {
		zone = r.env.Zone()
	}
	t, err := filterTime(r.numbersFromText(n))
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
		return nil, refuseSearch("operator %s cannot be used with the Date attribute %s", n.Operator, n.Field)
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
