package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"aqueduck/internal/problem"
)

// maxEnv bounds .env: it holds an address and a token, no data.
const maxEnv = 64 << 10

// ReadDotenv reads a file of variables, .env; only its owner may be able to read it. A missing file has none. Errors are problem.Problem.
func ReadDotenv(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &problem.Problem{Class: "config", What: "read the variables", Err: err, Next: "make " + name + " readable for this user (chmod 600), or remove it"}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", name, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && !info.IsDir() { // reading a directory fails below
		return nil, &problem.Problem{Class: "config", What: fmt.Sprintf("%s can be read by others (mode %04o)", name, mode), Next: "chmod 600 " + name}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxEnv+1))
	if err != nil || len(text) > maxEnv {
		return nil, &problem.Problem{Class: "config", What: name + " is not a file of at most 64 KiB", Err: err, Next: "replace it with a short file: one line NAME=value for each variable"}
	}
	kept := map[string]string{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		n++
		variable, value, err := parseAssignment(line)
		if err == nil && variable == "" {
			continue
		}
		if _, twice := kept[variable]; twice && err == nil {
			err = fmt.Errorf("%s is given twice", variable)
		}
		if err != nil {
			return nil, &problem.Problem{Class: "config", What: fmt.Sprintf("read the variables: %s:%d", name, n), Err: err, Next: "write a line NAME=value for each variable"}
		}
		kept[variable] = value
	}
	return kept, nil
}

// parseAssignment reads NAME=value, with or without quotes and export. An empty line or a comment gives no name. Errors do not quote the line:
// it may contain a token.
func parseAssignment(line string) (name, value string, err error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
	if name = strings.TrimSpace(name); !found || !IsVariable(name) {
		return "", "", errors.New("expected NAME=value")
	}
	value = strings.TrimSpace(value)
	if value == "" || value[0] != '"' && value[0] != '\'' {
		value, _, _ = strings.Cut(value, " #")
		return name, strings.TrimSpace(value), nil
	}
	inside, rest, closed := strings.Cut(value[1:], value[:1])
	if rest = strings.TrimSpace(rest); !closed || rest != "" && rest[0] != '#' {
		return "", "", fmt.Errorf("the quotes of %s do not enclose the whole value", name)
	}
	return name, inside, nil
}
