package front

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/knobs"
)

// Form is a form of the knobs that can change an answer.
type Form knobs.Form

// FormWords are the types and the absence that a value can be changed to.
var FormWords = []string{"string", "integer", "number", "boolean", "object", "array", "absent"}

// recordKeys are the keys of lists of records in answers.
var recordKeys = []string{"data", "conversations", "tickets", "admins", "teams", "segments", "activity_logs", "handling_events", "side_conversations"}

// applyForms changes a good answer as the knob Forms says: first its records, then the envelope.
func (w *Server) applyForms(route string, a answer.Answer) answer.Answer {
	var forms []Form
	for _, f := range w.K().Forms {
		if at := strings.Index(route, "."); f.Of == route || at > 0 && f.Of == route[:at] {
			forms = append(forms, Form(f))
		}
	}
	if len(forms) == 0 || a.Status >= 300 {
		return a
	}
	var root any
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.UseNumber()
	if decoder.Decode(&root) != nil {
		return a // not JSON: a transcript is text
	}
	records := recordsOf(root)
	for _, f := range forms {
		for _, record := range records {
			if !f.isOfEnvelope() && (f.ID == "" || idOf(record) == f.ID) {
				f.applyToObject(record)
			}
		}
	}
	for _, f := range forms {
		if envelope, is := root.(map[string]any); is && f.isOfEnvelope() {
			f.applyToObject(envelope)
		}
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(root) != nil {
		return a
	}
	a.Body = bytes.TrimSuffix(body.Bytes(), []byte("\n"))
	return a
}

// recordsOf returns the records of an answer: the items of its list, or the answer itself.
func recordsOf(root any) []map[string]any {
	object, is := root.(map[string]any)
	if !is {
		return nil
	}
	for _, key := range recordKeys {
		list, is := object[key].([]any)
		if !is {
			continue
		}
		var records []map[string]any
		for _, one := range list {
			if record, is := one.(map[string]any); is {
				records = append(records, record)
			}
		}
		return records
	}
	return []map[string]any{object}
}

// idOf returns the id of a record as text.
func idOf(record map[string]any) string {
	if record["id"] == nil {
		return ""
	}
	return fmt.Sprint(record["id"])
}

// isOfEnvelope reports whether the form changes the envelope, not the records.
func (f Form) isOfEnvelope() bool { return strings.HasPrefix(f.Path, "$.") }

// applyToObject changes one object. Where the old and the new path share a list, the value moves within each item of that list.
func (f Form) applyToObject(in map[string]any) {
	from, to := splitPath(f.Path), splitPath(f.To)
	if f.To == "" {
		to = from
	}
	shared := 0
	for i := range min(len(from), len(to)) {
		if from[i] != to[i] {
			break
		}
		if from[i] == "[]" || from[i] == "{}" {
			shared = i + 1
		}
	}
	for _, object := range objectsAt(in, from[:shared], f.As != "absent") {
		value, found := removeAt(object, from[shared:])
		made, sent := f.convertValue(value, found)
		if sent {
			setAt(object, to[shared:], made)
		}
	}
}

// splitPath splits a path into names, with [] for the items of a list and {} for the entries of an object.
func splitPath(path string) []string {
	path = strings.TrimPrefix(path, "$.")
	if path == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
}

// objectsAt returns the objects at a path with [] or {} at its end; with make it creates missing ones.
func objectsAt(in map[string]any, path []string, make bool) []map[string]any {
	if len(path) == 0 {
		return []map[string]any{in}
	}
	end := slices.IndexFunc(path, func(step string) bool { return step == "[]" || step == "{}" })
	holder, name := in, ""
	for i, step := range path[:end] {
		if i == end-1 {
			name = step
			break
		}
		next, is := holder[step].(map[string]any)
		if !is {
			if !make {
				return nil
			}
			next = map[string]any{}
			holder[step] = next
		}
		holder = next
	}
	var all []map[string]any
	for _, item := range itemsOf(holder, name, path[end] == "[]", make) {
		all = append(all, objectsAt(item, path[end+1:], make)...)
	}
	return all
}

// itemsOf returns the objects in a list or an object; with make it creates one where there is none.
func itemsOf(holder map[string]any, name string, list, make bool) (all []map[string]any) {
	var values []any
	if list {
		values, _ = holder[name].([]any)
	} else if entries, is := holder[name].(map[string]any); is {
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			values = append(values, entries[key])
		}
	}
	for _, value := range values {
		if object, is := value.(map[string]any); is {
			all = append(all, object)
		}
	}
	if len(all) > 0 || !make {
		return all
	}
	one := map[string]any{}
	if list {
		holder[name] = []any{one}
	} else {
		holder[name] = map[string]any{"key": one}
	}
	return []map[string]any{one}
}

// removeAt removes and returns the value at a path; false where there was none.
func removeAt(object map[string]any, path []string) (any, bool) {
	for len(path) > 1 {
		next, is := object[path[0]].(map[string]any)
		if !is {
			return nil, false
		}
		object, path = next, path[1:]
	}
	if len(path) == 0 {
		return nil, false
	}
	value, found := object[path[0]]
	delete(object, path[0])
	return value, found
}

// setAt writes a value at a path, and creates the objects around it.
func setAt(object map[string]any, path []string, value any) {
	for len(path) > 1 {
		next, is := object[path[0]].(map[string]any)
		if !is {
			next = map[string]any{}
			object[path[0]] = next
		}
		object, path = next, path[1:]
	}
	if len(path) == 1 {
		object[path[0]] = value
	}
}

// convertValue returns the value in its form, and whether it is sent at all.
func (f Form) convertValue(value any, found bool) (any, bool) {
	switch f.As {
	case "":
		return value, found
	case "absent":
		return nil, false
	case "string":
		if value == nil {
			return "x", true
		}
		return strings.Trim(fmt.Sprint(value), "map[]{}"), true
	case "integer", "number":
		number, is := value.(json.Number)
		if !is {
			text, _ := value.(string)
			number = json.Number(text)
		}
		if whole, err := number.Int64(); err == nil && f.As == "integer" {
			return whole, true
		} else if err == nil {
			return float64(whole) + 0.5, true
		}
		return map[string]any{"integer": 7, "number": 7.5}[f.As], true
	case "boolean":
		return true, true
	case "object":
		return map[string]any{"value": value}, true
	case "array":
		return []any{value}, true
	}
	var said any
	decoder := json.NewDecoder(strings.NewReader(f.As))
	decoder.UseNumber()
	_ = decoder.Decode(&said) // IsUnfit has checked that it is JSON
	return said, true
}

// IsUnfit reports whether the form is invalid.
func (f Form) IsUnfit() bool {
	return f.Path == "" || !api.IsAmongRoutes(f.Of) || strings.HasPrefix(f.To, "$.") != (f.To != "" && f.isOfEnvelope()) ||
		f.As != "" && !slices.Contains(FormWords, f.As) && !json.Valid([]byte(f.As))
}
