package content

import (
	"encoding/json"
	"html"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// Patterns of references to dynamic content in the bodies of requests.
var (
	tagForm = regexp.MustCompile(`(?i)<(?:/(span|div)\b[^>]*|(span|div)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+))?)*)\s*(/?))>`)
	inTag   = regexp.MustCompile(`([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+))`)
	literal = regexp.MustCompile(`#\{\{dynamic_content:([^{}]+)\}\}`)
)

// bodyTag is a tag of a body that may begin or end a reference.
type bodyTag struct {
	start, end    int
	name          string
	closes, empty bool
	key           string // "": it refers to nothing
}

// bodyTags yields the tags of a body in one pass. Together with a stack in its callers that keeps nested references linear in time.
func bodyTags(body string) iter.Seq[bodyTag] {
	return func(yield func(bodyTag) bool) {
		for at := 0; ; {
			found := tagForm.FindStringSubmatchIndex(body[at:])
			if found == nil {
				return
			}
			group := func(n int) string { return body[at:][max(0, found[2*n]):max(0, found[2*n+1])] }
			t := bodyTag{start: at + found[0], end: at + found[1], name: strings.ToLower(group(1) + group(2)), closes: group(1) != "", empty: group(4) != ""}
			t.key = referredKey(group(3))
			if !yield(t) {
				return
			}
			at = t.end
		}
	}
}

// referredKey returns the key of the dynamic content that an element's attributes refer to; "" for none.
func referredKey(attributes string) (key string) {
	refers := false
	for _, found := range inTag.FindAllStringSubmatch(attributes, -1) {
		value := html.UnescapeString(found[2] + found[3] + found[4])
		switch strings.ToLower(found[1]) {
		case "class":
			refers = slices.Contains(strings.Fields(value), "service-dynamic-content")
		case "data-service-dynamic-content-key":
			key = value
		}
	}
	if !refers {
		return ""
	}
	return key
}

// replaceElements replaces each element that refers to dynamic content, with everything inside it, by the result of by for its key. An element
// that is never closed reaches to the end of the body.
func replaceElements(body string, by func(key string) string) string {
	var out strings.Builder
	from, inside, depth := 0, "", 0
	for t := range bodyTags(body) {
		switch {
		case inside == "" && t.key != "":
			out.WriteString(body[from:t.start] + by(t.key))
			if from = t.end; !t.empty {
				inside, depth = t.name, 1
			}
			continue
		case t.name != inside:
			continue
		case t.closes:
			depth--
		case !t.empty:
			depth++
		}
		if depth == 0 {
			from, inside = t.end, ""
		}
	}
	if inside == "" {
		out.WriteString(body[from:])
	}
	return out.String()
}

// unwrapElements removes the elements that refer, but keeps what is inside them.
func unwrapElements(body string) string {
	var out strings.Builder
	from, open := 0, map[string][]bool{} // of the open elements, by name: whether each refers
	for t := range bodyTags(body) {
		refers, last := t.key != "", len(open[t.name])-1
		switch {
		case !t.closes && !t.empty:
			open[t.name] = append(open[t.name], refers)
		case t.closes && last >= 0:
			refers, open[t.name] = open[t.name][last], open[t.name][:last]
		}
		if refers {
			out.WriteString(body[from:t.start])
			from = t.end
		}
	}
	out.WriteString(body[from:])
	return out.String()
}

// normaliseReferences returns a body in its stored form: of each referring element only the key stays (workspace-api 2.5). Where dynamic
// content is disabled there are no references.
func (w *Content) normaliseReferences(b *input.Body, name string) string {
	if w.K().NoDynamicContent {
		return unwrapElements(b.ReadText(name))
	}
	there := itemsByKey(w.Items[event.DynamicContents])
	return replaceElements(b.ReadText(name), func(key string) string {
		i, known := there[key]
		if !known {
			b.Refuse(http.StatusBadRequest, "parameter_invalid", "%s%s refers to dynamic content that is not there: %s", b.At, name, key)
			return ""
		}
		return w.NewMaker().referenceTo(i)
	})
}

// referenceTo returns a reference to a piece of dynamic content in its stored form.
func (m Maker) referenceTo(i Item) string {
	d := m.dynamicOf(i)
	if d.kind == "block" {
		return event.DynamicReference("div", d.key)
	}
	return event.DynamicReference("span", d.key)
}

// UpgradeReferences rewrites an article's body from an earlier version in the form of the later one: the literal text becomes a reference to
// inline dynamic content, and elements refer to nothing (workspace-api 2.5). Where dynamic content is disabled, nothing refers in any version.
func (w *Content) UpgradeReferences(b *input.Body) {
	w.modernBody(b)
	translations := b.ReadObject("translated_content")
	for locale := range translations.Fields {
		if locale != "type" {
			one := translations.ReadObject(locale)
			w.modernBody(one)
			translations.Fields[locale] = AsJSON(one.Fields)
		}
	}
	if len(translations.Fields) > 0 {
		b.Fields["translated_content"] = AsJSON(translations.Fields)
	}
}

func (w *Content) modernBody(b *input.Body) {
	text := b.ReadText("body")
	if !b.HasValue("body") || b.IsRefused() {
		return
	}
	var there map[string]Item
	if !w.K().NoDynamicContent {
		there = itemsByKey(w.Items[event.DynamicContents])
	}
	text = literal.ReplaceAllStringFunc(unwrapElements(text), func(found string) string {
		i, known := there[literal.FindStringSubmatch(found)[1]]
		if !known || w.NewMaker().dynamicOf(i).kind == "block" {
			return found
		}
		return w.NewMaker().referenceTo(i)
	})
	b.Fields["body"] = AsJSON(text)
}

// AsJSON encodes a value that was decoded from JSON before.
func AsJSON(v any) json.RawMessage {
	text, _ := json.Marshal(v)
	return text
}
