package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/jsontext"
)

// bodyRefusal is why a body is not taken.
type bodyRefusal struct {
	Status        int
	Code, Message string
}

// body is what a writing request sent: the fields of a JSON object, read by their names. The first of them that is not what it
// should be is told in the refusal; what comes after it reads as nothing.
type body struct {
	fields map[string]json.RawMessage
	at     string       // what the names of its fields begin with
	first  *bodyRefusal // shared with the objects inside; its status is 0 while there is none
}

// readBody reads a body. Nothing at all is an object without fields.
func readBody(raw []byte) *body {
	b := &body{first: &bodyRefusal{}}
	if len(strings.TrimSpace(string(raw))) == 0 {
		return b
	}
	var err error
	if b.fields, err = jsontext.Object(raw); err != nil {
		b.refuse(http.StatusBadRequest, "parameter_invalid", "the body is no JSON object")
	}
	return b
}

func (b *body) refused() bool { return b.first.Status != 0 }

// refuse notes a refusal unless there is one.
func (b *body) refuse(status int, code, format string, about ...any) {
	if !b.refused() {
		*b.first = bodyRefusal{status, code, fmt.Sprintf(format, about...)}
	}
}

// invalid refuses what a field holds.
func (b *body) invalid(name, wanted string) {
	b.refuse(http.StatusBadRequest, "parameter_invalid", "%s%s must be %s", b.at, name, wanted)
}

// told says whether a field was sent, null or not.
func (b *body) told(name string) bool {
	_, told := b.fields[name]
	return told
}

// holds says whether a field was sent with something in it.
func (b *body) holds(name string) bool { return b.told(name) && string(b.fields[name]) != "null" }

// need refuses when one of these was not sent, or as null.
func (b *body) need(names ...string) {
	for _, name := range names {
		if !b.holds(name) {
			is := map[bool]string{false: "missing", true: "null"}[b.told(name)]
			b.refuse(http.StatusBadRequest, "parameter_not_found", "%s%s is %s", b.at, name, is)
		}
	}
}

// needOne refuses when none of these names something.
func (b *body) needOne(names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return b.id(name) != "" }) {
		b.refuse(http.StatusBadRequest, "parameter_not_found", "one of %s%s is missing", b.at, strings.Join(names, ", "+b.at))
	}
}

// read decodes a field when it holds something.
func (b *body) read(name, wanted string, into any) {
	if b.holds(name) && json.Unmarshal(b.fields[name], into) != nil {
		b.invalid(name, wanted)
	}
}

// text is a field's text, empty when it was not sent.
func (b *body) text(name string) (text string) {
	b.read(name, "a text", &text)
	return text
}

// word is one of these texts, or empty when it was not sent.
func (b *body) word(name string, of ...string) string {
	text := b.text(name)
	if b.holds(name) && !slices.Contains(of, text) {
		b.invalid(name, "one of "+strings.Join(of, ", "))
	}
	return text
}

// id is a text or a whole number as text: ids come as either (api-notes).
func (b *body) id(name string) string {
	if !b.holds(name) || b.fields[name][0] == '"' {
		return b.text(name)
	}
	var number json.Number
	if b.read(name, "an id", &number); strings.ContainsAny(number.String(), ".eE") {
		b.invalid(name, "an id")
	}
	return number.String()
}

// ids is a list of them.
func (b *body) ids(name string) (list []string) {
	var raw []json.RawMessage
	b.read(name, "a list of ids", &raw)
	for i, one := range raw {
		inner := &body{map[string]json.RawMessage{"": one}, fmt.Sprintf("%s%s[%d]", b.at, name, i), b.first}
		inner.need("")
		list = append(list, inner.id(""))
	}
	return list
}

// whole is a whole number, 0 when it was not sent.
func (b *body) whole(name string) (n int64) {
	b.read(name, "a whole number", &n)
	return n
}

// flag is true or false, false when it was not sent.
func (b *body) flag(name string) (yes bool) {
	b.read(name, "true or false", &yes)
	return yes
}

// object is the fields of an object inside, none when it was not sent.
func (b *body) object(name string) *body {
	inner := &body{at: b.at + name + ".", first: b.first}
	b.read(name, "an object", &inner.fields)
	return inner
}

// objects are those of a list.
func (b *body) objects(name string) (list []*body) {
	var all []map[string]json.RawMessage
	b.read(name, "a list of objects", &all)
	for i, fields := range all {
		if fields == nil {
			b.invalid(name, "a list of objects")
		}
		list = append(list, &body{fields, fmt.Sprintf("%s%s[%d].", b.at, name, i), b.first})
	}
	return list
}

// values are the fields of an object of texts, numbers, flags and nulls, as custom attributes are (workspace-api 2.1).
func (b *body) values(name string) map[string]any {
	list := map[string]any{}
	inner := b.object(name)
	for field, raw := range inner.fields {
		switch raw[0] {
		case '{', '[':
			inner.invalid(field, "a text, a number, true, false or null")
		case '"':
			list[field] = inner.text(field)
		default:
			list[field] = raw // a number keeps its text
		}
	}
	return list
}

// err is the refusal as an error.
func (b *body) err() error {
	if !b.refused() {
		return nil
	}
	return errors.New(b.first.Message)
}
