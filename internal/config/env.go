package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"aqueduck/internal/grammar"
)

// checkReferences reports references that are malformed, whatever the environment has.
func checkReferences(v *grammar.Value) {
	nothing := referenceExpander{lookup: func(string) (string, bool) { return "", false }, dir: filepath.Dir(v.FileName()), lenient: true}
	if _, err := nothing.expandText(v.Text()); err != nil && !errors.Is(err, grammar.ErrUnknown) {
		v.Wrong("", "%v", err)
	}
}

// maxFile is the largest file, in bytes, that a reference may insert: a token, not a data file.
const maxFile = 64 << 10

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// splitReferences splits a text at its references: ${VAR}, ${VAR:-default} and ${file:path}. $$ is one $; any other $ stands for itself.
func splitReferences(text string) (all []textPiece, err error) {
	plain := func(text string) { all = append(all, textPiece{text: text}) }
	for {
		before, rest, found := strings.Cut(text, "$")
		plain(before)
		switch {
		case !found:
			return all, nil
		case strings.HasPrefix(rest, "$"):
			plain("$")
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return nil, errors.New("${ is not closed")
			}
			p := textPiece{text: name, reference: true}
			if !strings.HasPrefix(name, "file:") {
				p.text, p.defaultValue, p.hasDefault = strings.Cut(name, ":-")
				if !IsVariable(p.text) {
					return nil, fmt.Errorf("%q is not the name of a variable, which has letters, digits and _; for a text with ${ write $${", p.text)
				}
			}
			all = append(all, p)
			text = after
		default:
			plain("$")
			text = rest
		}
	}
}

// expandText replaces the references in a text by their values.
func (e referenceExpander) expandText(text string) (string, error) {
	all, err := splitReferences(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var unknown error
	for _, p := range all {
		value, err := e.expandPiece(p)
		if errors.Is(err, grammar.ErrUnknown) {
			unknown = err
		} else if err != nil {
			return "", err
		}
		b.WriteString(value)
	}
	return b.String(), unknown
}

// IsVariable reports whether a text is a valid name of an environment variable.
func IsVariable(text string) bool { return variable.MatchString(text) }

// expandPiece returns the value of one piece.
func (e referenceExpander) expandPiece(p textPiece) (string, error) {
	if !p.reference {
		return p.text, nil
	}
	if file, ok := strings.CutPrefix(p.text, "file:"); ok {
		text, err := e.readSecretFile(file)
		return text, e.lenientError(err)
	}
	value, set := e.lookup(p.text)
	switch {
	case value != "":
		return value, nil
	case p.hasDefault:
		return p.defaultValue, nil
	case set:
		return "", e.lenientError(&unsetVariable{p.text, "empty", e.groupHint != nil})
	}
	return "", e.lenientError(&unsetVariable{p.text, "not set", e.groupHint != nil})
}

// unsetVariable is the error of a variable without a value.
type unsetVariable struct {
	name, state string
	checks      bool // the configuration is only checked
}

func (u *unsetVariable) Error() string { return fmt.Sprintf("the variable %s is %s", u.name, u.state) }

// NextStep says how to go on.
func (u *unsetVariable) NextStep() string {
	next := "set it for this command"
	if u.name == WorkspaceVariable {
		next = "name a workspace: AQUEDUCK_WORKSPACE=NAME, or --workspace NAME where a command has it"
	}
	if u.checks {
		next += ", or check all but the variables: aqueduck check --skip-env-check"
	}
	return next
}

// WorkspaceVariable may be part of warehouse.dir and warehouse.remote: it chooses one workspace, and its directory.
const WorkspaceVariable = "AQUEDUCK_WORKSPACE"

// lenientError converts the error of a missing variable or file to grammar.ErrUnknown when the expander is lenient.
func (e referenceExpander) lenientError(err error) error {
	if e.lenient && err != nil {
		return grammar.ErrUnknown
	}
	return err
}

// openFile is the error of a file with a secret that other users can read.
type openFile struct {
	name string
	mode fs.FileMode
}

func (e *openFile) Error() string {
	return fmt.Sprintf("%s can be read by others (mode %04o)", e.name, e.mode)
}

// missingFile is the error of a file that does not exist.
type missingFile struct{ name string }

func (e *missingFile) Error() string { return fmt.Sprintf("the file %s does not exist", e.name) }

// Unwrap lets callers compare with fs.ErrNotExist.
func (e *missingFile) Unwrap() error { return fs.ErrNotExist }

func (e referenceExpander) readSecretFile(name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.dir, name)
	}
	if err := e.mayRead(name); err != nil {
		return "", err
	}
	text, err := e.cache.readFile(name)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// mayRead returns an error when a file's text may not be inserted. Files in the cache were allowed before.
func (e referenceExpander) mayRead(name string) error {
	if e.cache != nil && e.cache.from != nil {
		return nil
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &missingFile{name: name}
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return fmt.Errorf("%s is not a file of at most 64 KiB", name)
	}
	if mode := info.Mode().Perm(); e.secret && mode&0o077 != 0 {
		return &openFile{name: name, mode: mode}
	}
	return nil
}
