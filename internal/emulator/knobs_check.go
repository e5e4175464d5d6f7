package emulator

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/front"
	"aqueduck/internal/emulator/knobs"
)

// knobWords are the allowed values of knobs with a text type; "" is the default.
var knobWords = map[string][]string{
	"Sort":             {"", string(knobs.SortIgnored), string(knobs.SortShuffled), string(knobs.SortRejected), string(knobs.SortAny)},
	"ListDeletes":      {"", string(knobs.ListAll), string(knobs.ListNone)},
	"NextShape":        {"", string(knobs.ShapeNoPage), string(knobs.ShapeURL)},
	"EndShape":         {"", string(knobs.ShapeAbsent), string(knobs.ShapeNoPages), string(knobs.ShapeNullPage), string(knobs.ShapeEmpty), string(knobs.ShapeEmptyEnd)},
	"RetryAfter":       {"", "seconds", "date"},
	"Export.Expired":   {"", "403", "404", "410", "html"},
	"Export.File.Form": {"", "tgz", "gzip", "zip", "csv", "ndjson"},
}

// knobBounds are the bounds of numeric knobs that are not just 0 and more, or 0 to 1 for shares. 0, the default, is always allowed.
var knobBounds = map[string][2]float64{
	"TotalError":    {-1, 1000},
	"DateOffset":    {-1e20, 1e20},
	"SearchRefused": {400, 599},
}

// checkKnobs returns an error for the first invalid knob in the order of the fields.
func checkKnobs(k *knobs.Knobs) error {
	var wrong error
	eachKnob(k, func(path string, v reflect.Value) {
		if wrong == nil {
			if wants := explainBadKnob(path, v); wants != "" {
				wrong = fmt.Errorf("%s cannot be %v: it is %s", path, v.Interface(), wants)
			}
		}
	})
	return wrong
}

// eachKnob calls see for each knob with its path, including those of exports and of their files.
func eachKnob(k *knobs.Knobs, see func(path string, v reflect.Value)) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch f.Type.Kind() {
			case reflect.Func:
			case reflect.Struct:
				walk(path+f.Name+".", v.Field(i))
			default:
				see(path+f.Name, v.Field(i))
			}
		}
	}
	walk("", reflect.ValueOf(k).Elem())
}

// explainBadKnob returns what a knob may be when its value is invalid, and "" when it is valid.
func explainBadKnob(path string, v reflect.Value) string {
	low, high := 0.0, 1e20
	if b, own := knobBounds[path]; own {
		low, high = b[0], b[1]
	}
	var n float64
	switch v.Kind() {
	case reflect.Float64:
		if n = v.Float(); high == 1e20 {
			high = 1
		}
	case reflect.Int, reflect.Int64:
		n = float64(v.Int())
	}
	fits := n == 0 || n >= low && n <= high
	switch value := v.Interface().(type) {
	case []string:
		fits = path != "Unavailable" && path != "Forbidden" || !slices.ContainsFunc(value, func(name string) bool { return !api.IsAmongRoutes(name) })
	case []knobs.Form:
		fits = !slices.ContainsFunc(value, func(f knobs.Form) bool { return front.Form(f).IsUnfit() })
	case map[string]knobs.PageShapes:
		for name := range value {
			fits = fits && api.IsRoute(name)
		}
	case map[string]knobs.SearchLag:
		for kind := range value {
			fits = fits && slices.Contains(lagKinds, strings.TrimSuffix(kind, ".new"))
		}
	default:
		if list := allowedWords(path, v); list != nil {
			fits = slices.Contains(list, v.String())
		} else if path == "IgnoreVersion" && v.String() != "" {
			_, fits = apiversion.Parse(v.String())
		}
	}
	switch {
	case fits:
		return ""
	case path == "Unavailable" || path == "Forbidden":
		return knobWants(path, v) + ": " + strings.Join(api.RouteNames(), ", ")
	}
	return knobWants(path, v)
}

var lagKinds = []string{"contacts", "conversations", "companies", "tickets"}

// allowedWords returns the allowed values of a knob; nil allows any.
func allowedWords(path string, v reflect.Value) []string {
	switch v.Interface().(type) {
	case knobs.Occurrence:
		return []string{string(knobs.ByTurns), string(knobs.Always), string(knobs.Never)}
	case knobs.InactiveOrder:
		return []string{string(knobs.OrderRecent), string(knobs.OrderOldest), string(knobs.OrderRandom)}
	}
	return knobWords[path]
}

// knobWants describes the allowed values of a knob.
func knobWants(path string, v reflect.Value) string {
	if list := allowedWords(path, v); list != nil {
		quoted := make([]string, len(list))
		for i, word := range list {
			quoted[i] = fmt.Sprintf("%q", word)
		}
		return strings.Join(quoted, ", ")
	}
	if b, own := knobBounds[path]; own && b[1] < 1e20 {
		return fmt.Sprintf("a number from %g to %g", b[0], b[1])
	}
	switch v.Interface().(type) {
	case bool:
		return "true or false"
	case time.Duration:
		return "a duration, as \"4m\""
	case float64:
		return "a share from 0 to 1"
	case int:
		return "a whole number"
	case []string:
		if strings.HasPrefix(path, "Export") {
			return "a list of texts"
		}
		return "a list of routes by name, as contacts.search, or of what is before the dot, as contacts"
	case []knobs.Form:
		return "a list of objects: `Of` is a route, `Path` a value in its records, or after `$.` around them. Optional: `ID` of one record, `To`, the other place, " +
			"and `As`, the other value: a JSON text, or " + strings.Join(front.FormWords, ", ")
	case map[string]knobs.PageShapes:
		return "names of routes, with their `Next` and `End`"
	case map[string]knobs.SearchLag:
		return "kinds of records, as contacts or contacts.new, with `Max`, `TailShare` and `Tail`; the kinds are " + strings.Join(lagKinds, ", ")
	case map[string]string:
		return "words, with the words sent instead"
	}
	if path == "IgnoreVersion" {
		return "a version, as \"2.16\""
	}
	return "text"
}

// KnobTable describes all knobs as a table in Markdown.
func KnobTable() string {
	var b strings.Builder
	b.WriteString("| knob | what it may be |\n|---|---|\n")
	eachKnob(new(knobs.Knobs), func(path string, v reflect.Value) {
		if path != "Chaos" { // Chaos has an operation of its own
			fmt.Fprintf(&b, "| `%s` | %s |\n", path, knobWants(path, v))
		}
	})
	return b.String()
}
