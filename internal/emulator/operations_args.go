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

// jobContacts are the contacts that jobs.start was told of.
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
	of       []string // the texts that it may be; nil: any
}

// paramKind is how a parameter is read. What comes in a query is text, whatever it is.
type paramKind struct {
	about string // "": text, which needs no words
	read  func(v any) (any, error)
}

// mostAtOnce bounds how often one operation does its thing: more is a slip of the finger that would fill the memory.
const mostAtOnce = 100_000

var errKind = errors.New("another kind of value")

// The kinds.
var (
	textParam = paramKind{"", readText}
	wordParam = paramKind{"", func(v any) (any, error) { // a text that says something
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
	case json.Number: // ids are often given as numbers
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

// jobContact is how one of the contacts of a job is read.
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

// operationArgs are the parameters of one call, each of the type that its kind reads.
type operationArgs map[string]any

func (a operationArgs) textArg(name string) string {
	text, _ := a[name].(string)
	return text
}

// listArg is texts with spaces between them.
func (a operationArgs) listArg(name string) []string { return strings.Fields(a.textArg(name)) }

// intArg is a number, or the usual one when it was left out.
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

// optionalFlagArg is a flag, or nil when it was left out.
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

// changesArg are fields in the order of their names.
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

// Parameters that many operations have.
var (
	idParam   = operationParam{name: "id", kind: &textParam}
	setParam  = operationParam{name: "set", kind: &fieldsParam}
	bodyParam = operationParam{name: "body", kind: &textParam}
	bumpParam = operationParam{name: "bump", kind: &flagParam, optional: true}
	tagParam  = operationParam{name: "tag", kind: &textParam}
	partParam = operationParam{name: "part", kind: &textParam}
)

// onID is an operation that needs nothing but an id.
func onID(do func(w *Workspace, id string) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) { return nil, do(w, a.textArg("id")) }
}

// withBumpFlag is one that also says whether updated_at moves; it does unless told otherwise.
func withBumpFlag(do func(w *Workspace, id string, bump bool) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) {
		return nil, do(w, a.textArg("id"), a.flagArg("bump", true))
	}
}

// withTagArg is one that names a tag, by the id that the API tells.
func withTagArg(do func(w *Workspace, id string, tag int) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) {
		for n := range event.TagCount {
			if strconv.FormatInt(event.TagID(int32(n)), 10) == a.textArg("tag") {
				return nil, do(w, a.textArg("id"), n)
			}
		}
		return nil, errors.New("no tag " + a.textArg("tag"))
	}
}

// ofID answers the id of what was made.
func ofID(id string, err error) (any, error) { return api.MadeIDs{"id": id}, err }
