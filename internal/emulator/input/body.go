package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/jsontext"
)

// Refusal is why a body is refused.
type Refusal struct {
	Status        int // HTTP status
	Code, Message string
}

// Body is the JSON object of a writing request. Its methods read fields by name. The first invalid field sets the refusal, and the reads after
// it return zero values, so callers check once at the end.
type Body struct {
	Fields  map[string]json.RawMessage
	At      string   // prefix of its field names in messages
	Refusal *Refusal // shared with nested bodies; its status is 0 while there is none
}

// ReadBody parses a body. An empty body is an object without fields.
func ReadBody(raw []byte) *Body {
	b := &Body{Refusal: &Refusal{}}
	if len(strings.TrimSpace(string(raw))) == 0 {
		return b
	}
	var err error
	if b.Fields, err = jsontext.ParseObject(raw); err != nil {
		b.Refuse(http.StatusBadRequest, "parameter_invalid", "the body is no JSON object")
	}
	return b
}

// IsRefused reports whether the body, or a nested one, is invalid.
func (b *Body) IsRefused() bool { return b.Refusal.Status != 0 }

// Refuse sets the refusal unless there is one.
func (b *Body) Refuse(status int, code, format string, about ...any) {
	if !b.IsRefused() {
		*b.Refusal = Refusal{status, code, fmt.Sprintf(format, about...)}
	}
}

// RefuseField refuses the value of a field; wanted says what it must be.
func (b *Body) RefuseField(name, wanted string) {
	b.Refuse(http.StatusBadRequest, "parameter_invalid", "%s%s must be %s", b.At, name, wanted)
}

// WasSent reports whether a field was sent, null included.
func (b *Body) WasSent(name string) bool {
	_, told := b.Fields[name]
	return told
}

// HasValue reports whether a field was sent and is not null.
func (b *Body) HasValue(name string) bool { return b.WasSent(name) && string(b.Fields[name]) != "null" }

// RequireFields refuses the body when one of the fields is absent or null.
func (b *Body) RequireFields(names ...string) {
	for _, name := range names {
		if !b.HasValue(name) {
			is := map[bool]string{false: "missing", true: "null"}[b.WasSent(name)]
			b.Refuse(http.StatusBadRequest, "parameter_not_found", "%s%s is %s", b.At, name, is)
		}
	}
}

// RequireOneOf refuses the body when all of the fields are absent or null.
func (b *Body) RequireOneOf(names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return b.ReadID(name) != "" }) {
		b.Refuse(http.StatusBadRequest, "parameter_not_found", "one of %s%s is missing", b.At, strings.Join(names, ", "+b.At))
	}
}

// decodeField decodes a field that has a value.
func (b *Body) decodeField(name, wanted string, into any) {
	if b.HasValue(name) && json.Unmarshal(b.Fields[name], into) != nil {
		b.RefuseField(name, wanted)
	}
}

// ReadText returns a field's text, empty when it was not sent.
func (b *Body) ReadText(name string) (text string) {
	b.decodeField(name, "a text", &text)
	return text
}

// ReadWord returns a field's text, which must be one of the list; empty when it was not sent.
func (b *Body) ReadWord(name string, of ...string) string {
	text := b.ReadText(name)
	if b.HasValue(name) && !slices.Contains(of, text) {
		b.RefuseField(name, "one of "+strings.Join(of, ", "))
	}
	return text
}

// ReadID returns an id as text. Texts and whole numbers are accepted (api-notes).
func (b *Body) ReadID(name string) string {
	if !b.HasValue(name) || b.Fields[name][0] == '"' {
		return b.ReadText(name)
	}
	var number json.Number
	if b.decodeField(name, "an id", &number); strings.ContainsAny(number.String(), ".eE") {
		b.RefuseField(name, "an id")
	}
	return number.String()
}

// ReadIDs returns a list of ids.
func (b *Body) ReadIDs(name string) (list []string) {
	var raw []json.RawMessage
	b.decodeField(name, "a list of ids", &raw)
	for i, one := range raw {
		inner := &Body{map[string]json.RawMessage{"": one}, fmt.Sprintf("%s%s[%d]", b.At, name, i), b.Refusal}
		inner.RequireFields("")
		list = append(list, inner.ReadID(""))
	}
	return list
}

// ReadInt returns a whole number, 0 when it was not sent. Public clients also send it as 12.0.
func (b *Body) ReadInt(name string) (n int64) {
	var number float64
	if b.HasValue(name) && json.Unmarshal(b.Fields[name], &n) != nil && json.Unmarshal(b.Fields[name], &number) == nil && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
		return int64(number)
	}
	b.decodeField(name, "a whole number", &n)
	return n
}

// ReadBool returns a boolean, false when it was not sent.
func (b *Body) ReadBool(name string) (yes bool) {
	b.decodeField(name, "true or false", &yes)
	return yes
}

// ReadObject returns a nested object, without fields when it was not sent.
func (b *Body) ReadObject(name string) *Body {
	inner := &Body{At: b.At + name + ".", Refusal: b.Refusal}
	b.decodeField(name, "an object", &inner.Fields)
	return inner
}

// ReadObjects returns a list of objects.
func (b *Body) ReadObjects(name string) (list []*Body) {
	var all []map[string]json.RawMessage
	b.decodeField(name, "a list of objects", &all)
	for i, fields := range all {
		if fields == nil {
			b.RefuseField(name, "a list of objects")
		}
		list = append(list, &Body{fields, fmt.Sprintf("%s%s[%d].", b.At, name, i), b.Refusal})
	}
	return list
}

// ReadValues returns an object of texts, numbers, booleans and nulls, such as custom attributes (workspace-api 2.1).
func (b *Body) ReadValues(name string) map[string]any {
	list := map[string]any{}
	inner := b.ReadObject(name)
	for field, raw := range inner.Fields {
		switch raw[0] {
		case '{', '[':
			inner.RefuseField(field, "a text, a number, true, false or null")
		case '"':
			list[field] = inner.ReadText(field)
		default:
			list[field] = raw // json.Number keeps the text of the number
		}
	}
	return list
}

// Err returns the refusal as an error, nil while there is none.
func (b *Body) Err() error {
	if !b.IsRefused() {
		return nil
	}
	return errors.New(b.Refusal.Message)
}
