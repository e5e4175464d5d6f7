package emulator

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
	"aqueduck/internal/emulator/state/jobs"
)

// jobContacts returns the contacts of jobs.start.
func (a operationArgs) jobContacts(name string) (list []jobs.JobContact) {
	all, _ := a[name].([]operationArgs)
	for _, one := range all {
		list = append(list, jobs.JobContact{ID: one.textArg("id"), Role: one.textArg("role"), Set: one.changesArg("set")})
	}
	return list
}

// operationParam is one parameter of an operation.
type operationParam struct {
	name     string
	kind     *paramKind
	optional bool
	of       []string // allowed texts; nil: any
}

// paramKind is how a parameter is read. A value from the query is always text.
type paramKind struct {
	about string // "": text, which needs no description
	read  func(v any) (any, error)
}

// mostAtOnce bounds how often one operation repeats. A larger number is a typing error that would fill the memory.
const mostAtOnce = 100_000

var errKind = errors.New("another kind of value")

// The kinds of parameters.
var (
	textParam = paramKind{"", readText}
	wordParam = paramKind{"", func(v any) (any, error) { // a text that is not empty
		text, err := readText(v)
		if text == "" {
			err = errKind
		}
		return text, err
	}}
	wholeParam = paramKind{"whole number", func(v any) (any, error) {
		text, err := readText(v)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(text.(string))
		if n < 0 || n > mostAtOnce {
			err = errKind
		}
		return n, err
	}}
	flagParam = paramKind{"true or false", func(v any) (any, error) {
		if text, ok := v.(string); ok {
			return strconv.ParseBool(text)
		}
		flag, ok := v.(bool)
		if !ok {
			return nil, errKind
		}
		return flag, nil
	}}
	spanParam = paramKind{"duration, as 90m", func(v any) (any, error) {
		text, _ := v.(string)
		d, err := time.ParseDuration(text)
		if err == nil && d < 0 {
			err = errKind
		}
		return d, err
	}}
	timeParam = paramKind{"UNIX seconds, or as 2024-06-15T02:00:00Z", func(v any) (any, error) {
		text, err := readText(v)
		if err != nil {
			return nil, err
		}
		return control.ParseTime(text.(string))
	}}
	fieldsParam  = paramKind{"object of columns and their values", readFields}
	objectsParam = paramKind{"list of objects with `id`, `role` and `set`", readJobContacts}
	anything     = paramKind{"fields of `Knobs` and their values", nil} // the whole object
)

func readText(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number: // ids are often sent as numbers
		return v.String(), nil
	}
	return nil, errKind
}

func readFields(v any) (any, error) {
	if text, ok := v.(string); ok {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, errKind
	}
	return fields, nil
}

// jobContact says how one of the contacts of a job is read.
var jobContact = operationSpec{name: "contacts", params: []operationParam{{name: "id", kind: &textParam, optional: true},
	{name: "role", kind: &textParam, optional: true, of: []string{"user", "lead"}}, {name: "set", kind: &fieldsParam, optional: true}}}

func readJobContacts(v any) (any, error) {
	all, ok := v.([]any)
	if !ok {
		return nil, errKind
	}
	var list []operationArgs
	for _, one := range all {
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		a, err := jobContact.decodeParameters(text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// operationArgs are the parameters of one call, each of the type that its kind returns.
type operationArgs map[string]any

func (a operationArgs) textArg(name string) string {
	text, _ := a[name].(string)
	return text
}

// listArg returns texts that are separated by spaces.
func (a operationArgs) listArg(name string) []string { return strings.Fields(a.textArg(name)) }

// intArg returns a number, or the default when it was omitted.
func (a operationArgs) intArg(name string, usual int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return usual
}

func (a operationArgs) flagArg(name string, usual bool) bool {
	if flag, ok := a[name].(bool); ok {
		return flag
	}
	return usual
}

// optionalFlagArg returns a flag, or nil when it was omitted.
func (a operationArgs) optionalFlagArg(name string) *bool {
	if flag, ok := a[name].(bool); ok {
		return &flag
	}
	return nil
}

func (a operationArgs) durationArg(name string) time.Duration {
	d, _ := a[name].(time.Duration)
	return d
}

func (a operationArgs) timeArg(name string) time.Time {
	t, _ := a[name].(time.Time)
	return t
}

func (a operationArgs) fieldsArg(name string) map[string]any {
	fields, _ := a[name].(map[string]any)
	return fields
}

// changesArg returns field changes, ordered by field.
func (a operationArgs) changesArg(name string) []event.FieldChange {
	var set []event.FieldChange
	for field, v := range a.fieldsArg(name) {
		set = append(set, event.FieldChange{Field: field, Value: core.NumberOrValue(v)})
	}
	slices.SortFunc(set, func(a, b event.FieldChange) int { return strings.Compare(a.Field, b.Field) })
	return set
}

func (a operationArgs) assignmentArg(name string) event.Assignment {
	return event.Assignment(max(0, slices.Index(event.AssignmentNames[:], a.textArg(name))))
}

// Parameters of many operations.
var (
	idParam   = operationParam{name: "id", kind: &textParam}
	setParam  = operationParam{name: "set", kind: &fieldsParam}
	bodyParam = operationParam{name: "body", kind: &textParam}
	bumpParam = operationParam{name: "bump", kind: &flagParam, optional: true}
	tagParam  = operationParam{name: "tag", kind: &textParam}
	partParam = operationParam{name: "part", kind: &textParam}
)

// onID makes an operation that takes only an id.
func onID(do func(w *Workspace, id string) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) { return nil, do(w, a.textArg("id")) }
}

// withBumpFlag makes an operation that takes an id and whether updated_at moves, by default true.
func withBumpFlag(do func(w *Workspace, id string, bump bool) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) {
		return nil, do(w, a.textArg("id"), a.flagArg("bump", true))
	}
}

// withTagArg makes an operation that takes an id and a tag, by the id that the API sends.
func withTagArg(do func(w *Workspace, id string, tag int) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) {
		for n := range w.Setup.Cast.TagCount {
			if strconv.FormatInt(event.TagID(int32(n)), 10) == a.textArg("tag") {
				return nil, do(w, a.textArg("id"), n)
			}
		}
		return nil, errors.New("no tag " + a.textArg("tag"))
	}
}

// ofID answers the id of a created record.
func ofID(id string, err error) (any, error) { return api.MadeIDs{"id": id}, err }
