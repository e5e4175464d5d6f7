// Package grammar checks a YAML file against a tree of keys, and reports every mistake with its position.
//
// The tree is the only description of a file's form: the checks, the values, the JSON Schema and the documentation's tables all come
// from it.
package grammar

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v4"
)

// Kind is the form of a value.
type Kind int

// The forms of values.
const (
	Map      Kind = iota // only the keys in Keys
	Free                 // any keys, each with a value like Item
	List                 // values like Item
	OneOrAll             // one value like Item, or a list of them
	Text                 // any scalar, as it is written
	Int                  // a whole number between Min and Max
	Bool                 // true or false
	Duration             // 90s, 60m, 48h, 14d, or several together
	Date                 // 2026-01-31
	Enum                 // one of Values
)

// Spec describes a value: its form, its meaning and its default.
type Spec struct {
	Name     string // the key; for an Item of Free the placeholder in documentation
	Kind     Kind
	Into     func(v *Value) // Fill calls it with the value, to set a field; a value that the file lacks reads as its default
	Doc      string
	Default  string                 // as written in a file, for scalars
	Required bool                   // a mapping without it is a mistake
	Needed   string                 // for documentation: when a key that may be absent is required, as in "with by: number"
	Later    bool                   // reserved: a file that uses it is told that it is not built yet
	Secret   func(text string) bool // reports whether a text must not appear in messages and excerpts; nil: none must
	Verbatim bool                   // the text is not resolved; the reader of the value does that
	Keys     []Spec                 // of a Map
	Short    string                 // of a Map: the key whose value may stand for the whole map; "": none
	Item     *Spec                  // of a Free, List or OneOrAll
	Values   []Choice               // of an Enum
	Min, Max int64                  // of an Int; both zero: no bounds
	Some     bool                   // of a Free, List or OneOrAll: at least one is required
	Form     *Form                  // of a Text, and of the keys of a Free; nil: any text
	Check    func(text string) error
	Hint     string // shown when Form or Check refuses
	Cased    string // shown before a text that would have the form in lower case: what the text itself may be written for
	Example  string // of a required key or item: a value as a file has it, shown where there is none
	See      string // for documentation: another key that has the same keys
}

// Form is a pattern that a text must match.
type Form struct {
	pattern *regexp.Regexp
	refusal string
}

// NewForm makes a form of a pattern and of the error for other texts, with a %q for the text.
func NewForm(pattern, refusal string) *Form {
	return &Form{pattern: regexp.MustCompile(pattern), refusal: refusal}
}

// Check is nil for a text that has the form.
func (f *Form) Check(text string) error {
	if f == nil || f.pattern.MatchString(text) {
		return nil
	}
	return fmt.Errorf(f.refusal, text)
}

// Choice is one value of an Enum.
type Choice struct {
	Name  string
	Doc   string
	Later bool // reserved, not built yet
}

// Value is a position in a checked file. A value that is absent or wrong reads as its default: the report has the mistake, and
// callers need not check.
type Value struct {
	doc    *checkedFile
	flawed bool   // keys of the map, or items of the list, were refused
	parent *Value // of an absent value: the map that lacks it
	spec   *Spec
	path   string     // as messages show it
	node   *yaml.Node // nil when absent
	name   *yaml.Node // its key, if any
	valid  bool       // present and correct
	text   string     // of a scalar, resolved
	keys   []Entry
	items  []*Value
}

// Entry is one key of a map with its value.
type Entry struct {
	Name  string
	Value *Value
}

// Resolve returns the text that a scalar stands for, for example with variables replaced.
type Resolve func(text string) (string, error)

// checkedFile is one file during its check.
type checkedFile struct {
	report      *Report
	file        string
	lines       []string
	resolve     Resolve
	secretLines map[int]bool // lines with a secret, which are never quoted
	values      int
	private     bool     // messages quote nothing of it
	isPart      bool     // other files may have the keys that it lacks
	meantKeys   []string // of a part: what misspelled keys at its top level most likely mean
}

// Limits of a file: far above real files, and small enough to keep checks fast.
const (
	maxBytes  = 1 << 20
	maxValues = 20_000 // aliases count each time they are used
)

func (s *Spec) keySpec(name string) *Spec {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}

func (s *Spec) isScalar() bool { return s.Kind >= Text }
