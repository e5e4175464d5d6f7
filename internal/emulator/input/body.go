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
	if b.Fields, err = jsontext.Object(raw); err != nil {
		b.Refuse(http.StatusBadRequest, "parameter_invalid", "the body is no JSON object")
	}
	return b
}

// Refused says whether something of the body, or of an object inside, is not what it should be.
func (b *Body) Refused() bool { return b.Refusal.Status != 0 }

// Refuse notes a refusal unless there is one.
func (b *Body) Refuse(status int, code, format string, about ...any) {
	if !b.Refused() {
		*b.Refusal = Refusal{status, code, fmt.Sprintf(format, about...)}
	}
}

// Invalid refuses what a field holds.
func (b *Body) Invalid(name, wanted string) {
	b.Refuse(http.StatusBadRequest, "parameter_invalid", "%s%s must be %s", b.At, name, wanted)
}

// Told says whether a field was sent, null or not.
func (b *Body) Told(name string) bool {
	_, told := b.Fields[name]
	return told
}

// Holds says whether a field was sent with something in it.
func (b *Body) Holds(name string) bool { return b.Told(name) && string(b.Fields[name]) != "null" }

// Need refuses when one of these was not sent, or as null.
func (b *Body) Need(names ...string) {
	for _, name := range names {
		if !b.Holds(name) {
			is := map[bool]string{false: "missing", true: "null"}[b.Told(name)]
			b.Refuse(http.StatusBadRequest, "parameter_not_found", "%s%s is %s", b.At, name, is)
		}
	}
}

// NeedOne refuses when none of these names something.
func (b *Body) NeedOne(names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return b.ID(name) != "" }) {
		b.Refuse(http.StatusBadRequest, "parameter_not_found", "one of %s%s is missing", b.At, strings.Join(names, ", "+b.At))
	}
}

// read decodes a field when it holds something.
func (b *Body) read(name, wanted string, into any) {
	if b.Holds(name) && json.Unmarshal(b.Fields[name], into) != nil {
		b.Invalid(name, wanted)
	}
}

// Text is a field's text, empty when it was not sent.
func (b *Body) Text(name string) (text string) {
	b.read(name, "a text", &text)
	return text
}

// Word is one of these texts, or empty when it was not sent.
func (b *Body) Word(name string, of ...string) string {
	text := b.Text(name)
	if b.Holds(name) && !slices.Contains(of, text) {
		b.Invalid(name, "one of "+strings.Join(of, ", "))
	}
	return text
}

// ID is a text or a whole number as text: ids come as either (api-notes).
func (b *Body) ID(name string) string {
	if !b.Holds(name) || b.Fields[name][0] == '"' {
		return b.Text(name)
	}
	var number json.Number
	if b.read(name, "an id", &number); strings.ContainsAny(number.String(), ".eE") {
		b.Invalid(name, "an id")
	}
	return number.String()
}

// IDs is a list of them.
func (b *Body) IDs(name string) (list []string) {
	var raw []json.RawMessage
	b.read(name, "a list of ids", &raw)
	for i, one := range raw {
		inner := &Body{map[string]json.RawMessage{"": one}, fmt.Sprintf("%s%s[%d]", b.At, name, i), b.Refusal}
		inner.Need("")
		list = append(list, inner.ID(""))
	}
	return list
}

// Whole is a whole number, 0 when it was not sent.
func (b *Body) Whole(name string) (n int64) {
	b.read(name, "a whole number", &n)
	return n
}

// Flag is true or false, false when it was not sent.
func (b *Body) Flag(name string) (yes bool) {
	b.read(name, "true or false", &yes)
	return yes
}

// Object is the fields of an object inside, none when it was not sent.
func (b *Body) Object(name string) *Body {
	inner := &Body{At: b.At + name + ".", Refusal: b.Refusal}
	b.read(name, "an object", &inner.Fields)
	return inner
}

// Objects are those of a list.
func (b *Body) Objects(name string) (list []*Body) {
	var all []map[string]json.RawMessage
	b.read(name, "a list of objects", &all)
	for i, fields := range all {
		if fields == nil {
			b.Invalid(name, "a list of objects")
		}
		list = append(list, &Body{fields, fmt.Sprintf("%s%s[%d].", b.At, name, i), b.Refusal})
	}
	return list
}

// Values are the fields of an object of texts, numbers, flags and nulls, as custom attributes are (workspace-api 2.1).
func (b *Body) Values(name string) map[string]any {
	list := map[string]any{}
	inner := b.Object(name)
	for field, raw := range inner.Fields {
		switch raw[0] {
		case '{', '[':
			inner.Invalid(field, "a text, a number, true, false or null")
		case '"':
			list[field] = inner.Text(field)
		default:
			list[field] = raw // a number keeps its text
		}
	}
	return list
}

// Err is the refusal as an error.
func (b *Body) Err() error {
	if !b.Refused() {
		return nil
	}
	return errors.New(b.Refusal.Message)
}
