// Package grammar checks a YAML file against a tree of keys, reporting every mistake with its place.
//
// The tree is the single description of a file's form: the check, the values that a caller reads and the page of
// documentation all come from it.
package grammar

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v4"
)

// Kind is the form of one value.
type Kind int

// The forms a value may have.
const (
	Map      Kind = iota // the keys that Keys names, no others
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

// Spec describes one value: its form, what it means, and what it is when the file does not say.
type Spec struct {
	Name     string // the key; the place holder in documentation for an Item of Free
	Kind     Kind
	Into     func(v *Value) // what Fill hands the value to, the default where the file gives none: it fills a field
	Doc      string
	Default  string                 // in the file's own writing, for scalars
	Required bool                   // a mapping without it is a mistake
	Later    bool                   // the key is reserved: a file that uses it is told that it is not built yet
	Secret   func(text string) bool // says that a text must not be shown, neither in a message nor in an excerpt; nil: none is
	Verbatim bool                   // the text is not resolved: whoever reads the value does that
	Keys     []Spec                 // of a Map
	Item     *Spec                  // of a Free, List or OneOrAll
	Values   []Choice               // of an Enum
	Min, Max int64                  // of an Int; both zero: any
	Some     bool                   // of a Free, List or OneOrAll: there is at least one
	Form     *Form                  // of a Text, and of the keys of a Free; nil: any
	Check    func(text string) error
	Hint     string // shown when Form or Check refuses
	See      string // documentation: the key whose table of keys is this one's too
}

// Form is what a text looks like.
type Form struct {
	pattern *regexp.Regexp
	refusal string
}

// NewForm makes a form of a pattern, and of what is said of another text, with a %q for it.
func NewForm(pattern, refusal string) *Form {
	return &Form{pattern: regexp.MustCompile(pattern), refusal: refusal}
}

// Check says nothing of a text that has the form.
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

// Value is one place of a checked file. What the file leaves out, or has wrong, reads as its default: the mistake is
// in the report already, and a caller need not look.
type Value struct {
	doc    *checkedFile
	flawed bool   // keys of the map were refused
	parent *Value // what it would be a key of, when the file leaves it out
	spec   *Spec
	path   string
	node   *yaml.Node // nil when the file leaves it out
	name   *yaml.Node // the key that it belongs to, if any
	valid  bool       // there, and what the spec wants
	text   string     // of a scalar, resolved
	keys   []Entry
	items  []*Value
}

// Entry is one key of a map with its value, in the file's order.
type Entry struct {
	Name  string
	Value *Value
}

// Resolve gives the text that a scalar stands for, e.g. with variables put in.
type Resolve func(text string) (string, error)

// checkedFile is one file while it is checked.
type checkedFile struct {
	report      *Report
	file        string
	lines       []string
	resolve     Resolve
	secretLines map[int]bool // lines with a secret: never quoted
	values      int
	isPart      bool     // others have what it lacks
	meantKeys   []string // of a part: what misspelled keys at its top most likely stand for
}

// Limits of a file: far above what any real one needs, and small enough that no file can hurt.
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
