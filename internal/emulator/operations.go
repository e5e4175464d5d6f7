package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
)

// operationSpec is one operation that can be carried out over HTTP and written to a journal. A new one is a row of a table.
type operationSpec struct {
	name   string
	params []operationParam
	about  string // description, one sentence
	do     func(w *Workspace, a operationArgs) (any, error)
}

// JournalEntry is one operation that was carried out.
type JournalEntry struct {
	At   time.Time       `json:"at"` // by the workspace's clock
	Do   string          `json:"do"`
	With json.RawMessage `json:"with,omitempty"` // its parameters, an object
}

// RunOperation carries out an operation by its name, with parameters as a JSON object, and returns its answer as JSON. The clock stands still
// meanwhile. docs/internals/emulator-controls.md and GET /_emulator/ list names and parameters. An operation that succeeds is in the journal
// before RunOperation returns.
func (w *Workspace) RunOperation(name string, with json.RawMessage) (answer []byte, err error) {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.HoldClock(func() { answer, err = w.runOperationHeld(name, with) })
	return answer, err
}

// runOperationHeld is RunOperation for callers that hold Controlling and the clock.
func (w *Workspace) runOperationHeld(name string, with json.RawMessage) ([]byte, error) {
	d := JournalEntry{At: w.CurrentTime(), Do: name, With: with}
	answer, err := w.carryOut(d)
	if err != nil || w.journal == nil {
		return answer, err
	}
	if err := w.journal(d); err != nil {
		return nil, fmt.Errorf("%s is done, but %w: %w", name, control.ErrForgotten, err)
	}
	return answer, nil
}

// ReplayOperation repeats a journal entry at its time. A workspace of the same Config that replays a whole journal in order has the same state
// as the original.
func (w *Workspace) ReplayOperation(d JournalEntry) error {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.setSilent(true)
	defer w.setSilent(false)
	_, err := w.carryOut(d)
	return err
}

// SetJournal sets the function that records each operation that succeeds, before it is answered. There is one journal, and nil removes it.
func (w *Workspace) SetJournal(write func(JournalEntry) error) {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.journal = write
}

func (w *Workspace) carryOut(d JournalEntry) ([]byte, error) {
	all := w.operations
	i := slices.IndexFunc(all, func(o operationSpec) bool { return o.name == d.Do })
	if i < 0 {
		return nil, fmt.Errorf("%w %q", control.ErrNoOperation, d.Do)
	}
	a, err := all[i].decodeParameters(d.With)
	if err != nil {
		return nil, err
	}
	var answer any
	w.StandAt(d.At, func() {
		w.RunDueNow()
		answer, err = all[i].do(w, a)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Do, err)
	}
	if answer == nil {
		answer = api.MadeIDs{"did": d.Do}
	}
	return json.Marshal(answer)
}

// decodeParameters checks and decodes the parameters of an operation.
func (o *operationSpec) decodeParameters(with json.RawMessage) (operationArgs, error) {
	sent, a := map[string]any{}, operationArgs{}
	if len(with) > 0 {
		dec := json.NewDecoder(bytes.NewReader(with))
		dec.UseNumber()
		if err := dec.Decode(&sent); err != nil {
			return nil, o.refuseParameters("its parameters are no JSON object: %w", err)
		}
	}
	for _, p := range o.params {
		if p.kind == &anything {
			return operationArgs{p.name: sent}, nil
		}
		v, ok := sent[p.name]
		delete(sent, p.name)
		switch {
		case !ok && p.optional:
			continue
		case !ok:
			return nil, o.refuseParameters("%s is missing", p.name)
		}
		value, err := p.kind.read(v)
		if text, isText := value.(string); err != nil || len(p.of) > 0 && isText && !slices.Contains(p.of, text) {
			return nil, o.refuseParameters("%s cannot be %v", p.name, v)
		}
		a[p.name] = value
	}
	for name := range sent {
		return nil, o.refuseParameters("it has no parameter %s", name)
	}
	return a, nil
}

// refuseParameters returns a refusal that lists the parameters.
func (o *operationSpec) refuseParameters(format string, about ...any) error {
	wants := "it takes none"
	if len(o.params) > 0 {
		wants = "it takes " + o.describeParameters()
	}
	return fmt.Errorf("%s: %w; %s", o.name, fmt.Errorf(format, about...), wants)
}

// describeParameters describes the parameters in one line of Markdown.
func (o *operationSpec) describeParameters() string {
	var list []string
	for _, p := range o.params {
		text := "`" + p.name + "`"
		if p.optional {
			text = "[" + text + "]"
		}
		switch {
		case len(p.of) > 0:
			text += " (" + strings.Join(p.of, ", ") + ")"
		case p.kind.about != "":
			text += " (" + p.kind.about + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
