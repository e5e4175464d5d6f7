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

// operationSpec is one thing that can be made happen over HTTP and be written into a journal. Adding one is a row of a table.
type operationSpec struct {
	name   string
	params []operationParam
	about  string // a sentence
	do     func(w *Workspace, a operationArgs) (any, error)
}

// JournalEntry is one operation that was carried out.
type JournalEntry struct {
	At   time.Time       `json:"at"` // by the workspace's clock
	Do   string          `json:"do"`
	With json.RawMessage `json:"with,omitempty"` // an object of its parameters
}

// RunOperation carries out an operation by its name, with parameters as a JSON object, and gives its answer as JSON. The clock stands
// still while it works. Names and parameters are in docs/internals/emulator-controls.md and in GET /_emulator/. One that succeeds is in the journal
// before Do returns.
func (w *Workspace) RunOperation(name string, with json.RawMessage) (answer []byte, err error) {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.HoldClock(func() { answer, err = w.runOperationHeld(name, with) })
	return answer, err
}

// runOperationHeld is Do for who holds the lock of those who change something, and the clock.
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

// ReplayOperation does again what a journal tells of, at its time. A workspace of the same Config that does all of it again in its order is
// the same again.
func (w *Workspace) ReplayOperation(d JournalEntry) error {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.setSilent(true)
	defer w.setSilent(false)
	_, err := w.carryOut(d)
	return err
}

// SetJournal has every operation that succeeds from now on be written down before it is answered. One is kept; nil takes it away.
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

// decodeParameters checks the parameters of an operation and decodes them.
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

// refuseParameters is a refusal that tells the parameters.
func (o *operationSpec) refuseParameters(format string, about ...any) error {
	wants := "it takes none"
	if len(o.params) > 0 {
		wants = "it takes " + o.describeParameters()
	}
	return fmt.Errorf("%s: %w; %s", o.name, fmt.Errorf(format, about...), wants)
}

// describeParameters describes them in one line of Markdown.
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
