//go:build mirror

package mirror

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"aqueduck/load/differ"
)

// engine is PyIceberg, which reads the tables by its own code: catalog, snapshots, and deletes.
type engine struct {
	name    string // with its version
	process *exec.Cmd
	ask     io.WriteCloser
	answers *bufio.Scanner
}

//go:embed engine.py
var engineProgram string

// engineVariables are those of the environment that the engine gets: names, or beginnings of names.
var engineVariables = []string{"PATH=", "HOME=", "LANG=", "LC_", "TMPDIR=", "AWS_", "ICEBERG_", "PG", "SSL_CERT_", "PYTHON", "VIRTUAL_ENV=", "HTTP_PROXY=", "HTTPS_PROXY=", "NO_PROXY="}

// startEngine starts PyIceberg in a directory, where python3 has it. The engine is nil where it has not; why says so.
func startEngine(ctx context.Context, o Target, dir string) (e *engine, why string) {
	python, err := exec.LookPath("python3")
	switch {
	case err != nil:
		return nil, "there is no python3"
	case !strings.HasPrefix(o.Location, "s3://"):
		return nil, "PyIceberg reads tables on s3:// here"
	}
	catalog := o.Catalog
	if file, embedded := strings.CutPrefix(catalog, "sqlite:"); embedded { // the process has another directory
		if file, err = filepath.Abs(file); err != nil {
			return nil, err.Error()
		}
		catalog = "sqlite:" + file
	}
	c := exec.CommandContext(ctx, python, "-c", engineProgram, catalog)
	c.Dir = dir // Python imports what is in its directory
	for _, variable := range os.Environ() {
		for _, begin := range engineVariables {
			if strings.HasPrefix(variable, begin) {
				c.Env = append(c.Env, variable)
				break
			}
		}
	}
	said := new(strings.Builder)
	c.Stderr = said
	e = &engine{process: c}
	e.ask, err = c.StdinPipe()
	if err == nil {
		var out io.Reader
		if out, err = c.StdoutPipe(); err == nil {
			e.answers = bufio.NewScanner(out)
			err = c.Start()
		}
	}
	if err != nil {
		return nil, err.Error()
	}
	if !e.answers.Scan() {
		_ = c.Wait() // what it said says more
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return nil, lines[len(lines)-1]
	}
	e.name = e.answers.Text()
	return e, ""
}

// readTable has the engine write the rows of a table into a file. failed is what the engine says if it cannot.
func (e *engine) readTable(namespace, name, into string) (failed string, err error) {
	question, err := json.Marshal(map[string]any{"table": []string{namespace, name}, "into": into})
	if err != nil {
		return "", err
	}
	if _, err := e.ask.Write(append(question, '\n')); err != nil {
		return "", fmt.Errorf("ask %s: %w", e.name, err)
	}
	if !e.answers.Scan() {
		return "", fmt.Errorf("%s ended: %w", e.name, errors.Join(e.answers.Err(), io.ErrUnexpectedEOF))
	}
	if answer := e.answers.Text(); answer != "read" {
		return answer, nil
	}
	return "", nil
}

func (e *engine) dismiss() error {
	_ = e.ask.Close() // it ends then
	return e.process.Wait()
}

// verifyByEngine compares the rows of a table, as the engine reads them, with the published file.
func (m *mirror) verifyByEngine(ctx context.Context, e *engine, of differ.Relation, namespace, dir string) (differs string, err error) {
	path := filepath.Join(dir, "engine.parquet")
	failed, err := e.readTable(namespace, of.Name, path)
	if err != nil {
		return "", err
	}
	if failed != "" {
		return e.name + " cannot read it: " + failed, nil
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	own, theirs, err := m.file.ReadBoth(ctx, of, differ.CopyFiles{Data: []differ.CopyFile{{Path: path}}})
	if err == nil && own != theirs {
		differs = fmt.Sprintf("%s reads %d rows with the digest %s, and the published file has %d with %s", e.name, theirs.Rows, theirs.Sum, own.Rows, own.Sum)
	}
	return differs, err
}
