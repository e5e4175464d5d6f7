package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// expander puts variables and files into texts of the configuration.
type expander struct {
	lookup func(string) (string, bool)
	dir    string // that relative files are from
	secret bool   // files must be for their owner only
}

// maxFile bounds a file that is put into a text: what is meant is a token, not a data file.
const maxFile = 64 << 10

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand resolves ${VAR}, ${VAR:-default} and ${file:path}; $$ is one $, any other $ is itself.
func (e expander) expand(text string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), nil
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return "", errors.New("${ is not closed")
			}
			value, err := e.value(name)
			if err != nil {
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

// value resolves what stands between the braces.
func (e expander) value(name string) (string, error) {
	if file, ok := strings.CutPrefix(name, "file:"); ok {
		return e.file(file)
	}
	name, otherwise, hasDefault := strings.Cut(name, ":-")
	if !variable.MatchString(name) {
		return "", fmt.Errorf("%q is no name of a variable; $$ stands for a $", name)
	}
	value, set := e.lookup(name)
	switch {
	case value != "":
		return value, nil
	case hasDefault:
		return otherwise, nil
	case set:
		return "", fmt.Errorf("the variable %s is empty", name)
	}
	return "", fmt.Errorf("the variable %s is not set", name)
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
