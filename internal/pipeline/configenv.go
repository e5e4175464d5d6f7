package pipeline

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

// expander puts variables and files into texts of the configuration.
type expander struct {
	lookup  func(string) (string, bool)
	dir     string // that relative files are from
	secret  bool   // files must be for their owner only
	lenient bool   // a variable or file that is not there is grammar.ErrUnknown
}

// maxFile bounds a file that is put into a text: what is meant is a token, not a data file.
const maxFile = 64 << 10

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand resolves ${VAR}, ${VAR:-default} and ${file:path}; $$ is one $, any other $ is itself.
func (e expander) expand(text string) (string, error) {
	var b strings.Builder
	var unknown error
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), unknown
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return "", errors.New("${ is not closed")
			}
			value, err := e.value(name)
			if errors.Is(err, grammar.ErrUnknown) {
				unknown = err
			} else if err != nil {
				return "", err
			}
			b.WriteString(value)
			text = after
		default:
			b.WriteByte('$')
			text = rest
		}
	}
}

// IsVariable says whether a text can name a variable of the environment.
func IsVariable(text string) bool { return variable.MatchString(text) }

// value resolves what stands between the braces.
func (e expander) value(name string) (string, error) {
	if file, ok := strings.CutPrefix(name, "file:"); ok {
		text, err := e.file(file)
		return text, e.missing(err)
	}
	name, otherwise, hasDefault := strings.Cut(name, ":-")
	if !IsVariable(name) {
		return "", fmt.Errorf("%q is no name of a variable; $$ stands for a $", name)
	}
	value, set := e.lookup(name)
	switch {
	case value != "":
		return value, nil
	case hasDefault:
		return otherwise, nil
	case set:
		return "", e.missing(fmt.Errorf("the variable %s is empty", name))
	}
	return "", e.missing(fmt.Errorf("the variable %s is not set", name))
}

// missing is the error of what is not there.
func (e expander) missing(err error) error {
	if e.lenient && err != nil {
		return grammar.ErrUnknown
	}
	return err
}

// openFile is a file with a secret that others can read.
type openFile struct {
	name string
	mode fs.FileMode
}

func (e *openFile) Error() string {
	return fmt.Sprintf("%s can be read by others (mode %04o)", e.name, e.mode)
}

func (e expander) file(name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.dir, name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%s is not a file of at most 64 KiB", name)
	}
	if mode := info.Mode().Perm(); e.secret && mode&0o077 != 0 {
		return "", &openFile{name: name, mode: mode}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
