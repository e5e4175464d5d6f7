package emulator_test

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// shapeSpecs are objects by name, with a line for each field and its kind. A kind is a type, or =a|b for the allowed values, or a path in
// which {id} is the object's own id, or @name for an object of that shape; [] makes it a list. ? marks a field that may be null, ~ one that
// may be absent.
type shapeSpecs map[string]string

// shapeCheck collects what was seen of shapes: errors, and which fields ever had a value.
type shapeCheck struct {
	shapes shapeSpecs
	wrong  map[string]string
	filled map[string]bool
}

func newShapeCheck(s shapeSpecs) *shapeCheck {
	return &shapeCheck{shapes: s, wrong: map[string]string{}, filled: map[string]bool{}}
}

// shapeFields returns name and kind of the fields of a shape.
func (s shapeSpecs) shapeFields(t testing.TB, shape string) (list [][2]string) {
	t.Helper()
	text, known := s[shape]
	if !known {
		t.Fatalf("no shape %s", shape)
	}
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		for _, name := range strings.Split(words[i], ",") {
			list = append(list, [2]string{name, words[i+1]})
		}
	}
	return list
}

// checkObject checks an object against a shape.
func (v *shapeCheck) checkObject(t testing.TB, shape string, object map[string]any) {
	t.Helper()
	for _, field := range v.shapes.shapeFields(t, shape) {
		name, kind := strings.TrimPrefix(field[0], "~"), strings.TrimSuffix(field[1], "?")
		value, there := object[name]
		switch at := shape + "." + name; {
		case !there && name != field[0]:
		case !there:
			v.wrong[at] = "is missing"
		case value == nil && kind == field[1]:
			v.wrong[at] = "is null"
		case value == nil:
		default:
			v.filled[at] = true
			if !v.isKind(t, kind, value, object) {
				v.wrong[at] = fmt.Sprintf("is %v, not %s", value, kind)
			}
		}
	}
}

// isKind reports whether a value is of a kind.
func (v *shapeCheck) isKind(t testing.TB, kind string, value any, of map[string]any) bool {
	if inner, isList := strings.CutSuffix(kind, "[]"); isList {
		list, ok := value.([]any)
		return ok && !slices.ContainsFunc(list, func(one any) bool { return !v.isKind(t, inner, one, of) })
	}
	if name, isObject := strings.CutPrefix(kind, "@"); isObject {
		object, ok := value.(map[string]any)
		if ok {
			v.checkObject(t, name, object)
		}
		return ok
	}
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	whole, err := number.Int64()
	switch {
	case strings.HasPrefix(kind, "="):
		return isText && slices.Contains(strings.Split(kind[1:], "|"), text)
	case strings.HasPrefix(kind, "/"):
		fits, err := path.Match(strings.ReplaceAll(kind, "{id}", fmt.Sprint(of["id"])), text)
		return err == nil && fits
	}
	switch kind {
	case "string":
		return isText
	case "integer":
		return isNumber && err == nil
	case "time": // UNIX seconds: neither milliseconds nor a day
		return isNumber && err == nil && whole > 1_000_000_000 && whole < 10_000_000_000
	case "number":
		return isNumber
	case "any":
		return true
	}
	return map[string]string{"boolean": "bool", "object": "map[string]interface {}"}[kind] == fmt.Sprintf("%T", value)
}

// checkFilled reports the errors, and the fields of the named shapes that never had a value.
func (v *shapeCheck) checkFilled(t *testing.T, names ...string) {
	t.Helper()
	for at, what := range v.wrong {
		t.Errorf("%s %s", at, what)
	}
	for _, shape := range names {
		for _, field := range v.shapes.shapeFields(t, shape) {
			if at := shape + "." + strings.TrimPrefix(field[0], "~"); !v.filled[at] {
				t.Errorf("%s never has a value", at)
			}
		}
	}
}
