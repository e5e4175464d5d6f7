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

// operation is one thing that can be made happen over HTTP and be written into a journal. Adding one is a row of a table.
type operation struct {
	name   string
	params []param
	about  string // a sentence
	do     func(w *Workspace, a args) (any, error)
}

// Done is one operation that was carried out.
type Done struct {
	At   time.Time       `json:"at"` // by the workspace's clock
	Do   string          `json:"do"`
	With json.RawMessage `json:"with,omitempty"` // an object of its parameters
}

// Do carries out an operation by its name, with parameters as a JSON object, and gives its answer as JSON. The clock stands
// still while it works. Names and parameters are in docs/emulator.md and in GET /_emulator/. One that succeeds is in the journal
// before Do returns.
func (w *Workspace) Do(name string, with json.RawMessage) (answer []byte, err error) {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.HoldClock(func() { answer, err = w.doing(name, with) })
	return answer, err
}

// doing is Do for who holds the lock of those who change something, and the clock.
func (w *Workspace) doing(name string, with json.RawMessage) ([]byte, error) {
	d := Done{At: w.Clock(), Do: name, With: with}
	answer, err := w.carryOut(d)
	if err != nil || w.journal == nil {
		return answer, err
	}
	if err := w.journal(d); err != nil {
		return nil, fmt.Errorf("%s is done, but %w: %w", name, control.ErrForgotten, err)
	}
	return answer, nil
}

// Redo does again what a journal tells of, at its time. A workspace of the same Config that does all of it again in its order is
// the same again.
func (w *Workspace) Redo(d Done) error {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.silence(true)
	defer w.silence(false)
	_, err := w.carryOut(d)
	return err
}

// Journal has every operation that succeeds from now on be written down before it is answered. One is kept; nil takes it away.
func (w *Workspace) Journal(write func(Done) error) {
	w.Controlling.Lock()
	defer w.Controlling.Unlock()
	w.journal = write
}

func (w *Workspace) carryOut(d Done) ([]byte, error) {
	all := w.operations
	i := slices.IndexFunc(all, func(o operation) bool { return o.name == d.Do })
	if i < 0 {
		return nil, fmt.Errorf("%w %q", control.ErrNoOperation, d.Do)
	}
	a, err := all[i].read(d.With)
	if err != nil {
		return nil, err
	}
	var answer any
	w.StandAt(d.At, func() {
		w.CatchUp()
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

// read checks the parameters of an operation and decodes them.
func (o *operation) read(with json.RawMessage) (args, error) {
	sent, a := map[string]any{}, args{}
	if len(with) > 0 {
		dec := json.NewDecoder(bytes.NewReader(with))
		dec.UseNumber()
		if err := dec.Decode(&sent); err != nil {
			return nil, o.wants("its parameters are no JSON object: %w", err)
		}
	}
	for _, p := range o.params {
		if p.kind == &anything {
			return args{p.name: sent}, nil
		}
		v, ok := sent[p.name]
		delete(sent, p.name)
		switch {
		case !ok && p.optional:
			continue
		case !ok:
			return nil, o.wants("%s is missing", p.name)
		}
		value, err := p.kind.read(v)
		if text, isText := value.(string); err != nil || len(p.of) > 0 && isText && !slices.Contains(p.of, text) {
			return nil, o.wants("%s cannot be %v", p.name, v)
		}
		a[p.name] = value
	}
	for name := range sent {
		return nil, o.wants("it has no parameter %s", name)
	}
	return a, nil
}

// wants is a refusal that tells the parameters.
func (o *operation) wants(format string, about ...any) error {
	wants := "it takes none"
	if len(o.params) > 0 {
		wants = "it takes " + o.parameters()
	}
	return fmt.Errorf("%s: %w; %s", o.name, fmt.Errorf(format, about...), wants)
}

// parameters describes them in one line of Markdown.
func (o *operation) parameters() string {
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
