package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/jsontext"
)

// Refusal is why a body is not taken.
type Refusal struct {
	Status        int // of HTTP
	Code, Message string
}

// Body is what a writing request sent: the fields of a JSON object, read by their names. The first of them that is not what it
// should be is told in the refusal; what comes after it reads as nothing.
type Body struct {
	Fields  map[string]json.RawMessage
	At      string   // what the names of its fields begin with
	Refusal *Refusal // shared with the objects inside; its status is 0 while there is none
}

// ReadBody reads a body. Nothing at all is an object without fields.
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

// IsRefused says whether something of the body, or of an object inside, is not what it should be.
func (b *Body) IsRefused() bool { return b.Refusal.Status != 0 }

// Refuse notes a refusal unless there is one.
func (b *Body) Refuse(status int, code, format string, about ...any) {
	if !b.IsRefused() {
		*b.Refusal = Refusal{status, code, fmt.Sprintf(format, about...)}
	}
}

// RefuseField refuses what a field holds.
func (b *Body) RefuseField(name, wanted string) {
	b.Refuse(http.StatusBadRequest, "parameter_invalid", "%s%s must be %s", b.At, name, wanted)
}

// WasSent says whether a field was sent, null or not.
func (b *Body) WasSent(name string) bool {
	_, told := b.Fields[name]
	return told
}

// HasValue says whether a field was sent with something in it.
func (b *Body) HasValue(name string) bool { return b.WasSent(name) && string(b.Fields[name]) != "null" }

// RequireFields refuses when one of these was not sent, or as null.
func (b *Body) RequireFields(names ...string) {
	for _, name := range names {
		if !b.HasValue(name) {
			is := map[bool]string{false: "missing", true: "null"}[b.WasSent(name)]
			b.Refuse(http.StatusBadRequest, "parameter_not_found", "%s%s is %s", b.At, name, is)
		}
	}
}

// RequireOneOf refuses when none of these names something.
func (b *Body) RequireOneOf(names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return b.ReadID(name) != "" }) {
		b.Refuse(http.StatusBadRequest, "parameter_not_found", "one of %s%s is missing", b.At, strings.Join(names, ", "+b.At))
	}
}

// decodeField decodes a field when it holds something.
func (b *Body) decodeField(name, wanted string, into any) {
	if b.HasValue(name) && json.Unmarshal(b.Fields[name], into) != nil {
		b.RefuseField(name, wanted)
	}
}

// ReadText is a field's text, empty when it was not sent.
func (b *Body) ReadText(name string) (text string) {
	b.decodeField(name, "a text", &text)
	return text
}

// ReadWord is one of these texts, or empty when it was not sent.
func (b *Body) ReadWord(name string, of ...string) string {
	text := b.ReadText(name)
	if b.HasValue(name) && !slices.Contains(of, text) {
		b.RefuseField(name, "one of "+strings.Join(of, ", "))
	}
	return text
}

// ReadID is a text or a whole number as text: ids come as either (api-notes).
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

// ReadIDs is a list of them.
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

// ReadInt is a whole number, 0 when it was not sent.
func (b *Body) ReadInt(name string) (n int64) {
	b.decodeField(name, "a whole number", &n)
	return n
}

// ReadBool is true or false, false when it was not sent.
func (b *Body) ReadBool(name string) (yes bool) {
	b.decodeField(name, "true or false", &yes)
	return yes
}

// ReadObject is the fields of an object inside, none when it was not sent.
func (b *Body) ReadObject(name string) *Body {
	inner := &Body{At: b.At + name + ".", Refusal: b.Refusal}
	b.decodeField(name, "an object", &inner.Fields)
	return inner
}

// ReadObjects are those of a list.
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

// ReadValues are the fields of an object of texts, numbers, flags and nulls, as custom attributes are (workspace-api 2.1).
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
			list[field] = raw // a number keeps its text
		}
	}
	return list
}

// Err is the refusal as an error.
func (b *Body) Err() error {
	if !b.IsRefused() {
		return nil
	}
	return errors.New(b.Refusal.Message)
}
