// Package starter writes the first files of a warehouse: pipelines.yaml, its schema for editors, .env.example and lines of .gitignore.
package starter

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"aqueduck/internal/cli/emulate"
	"aqueduck/internal/problem"
)

var (
	//go:embed pipelines.yaml
	configTemplate string
	//go:embed env.example
	envTemplate []byte
)

// Files are the files to write, beside a configuration file.
type Files struct {
	Config   string // path of pipelines.yaml
	Dir      string // directory of the data, as --dir names it; "": data beside the configuration file
	Schema   []byte // JSON Schema of pipelines.yaml
	Emulated bool   // for the embedded workspace
	Force    bool   // existing files are overwritten
}

// Write writes the files and the lines of .gitignore, and names them on stdout. If one of the files exists, it writes nothing, unless Force is set.
func (f Files) Write(stdout io.Writer) error {
	data, err := dataDir(f.Config, f.Dir)
	if err != nil {
		return err
	}
	beside := filepath.Dir(f.Config)
	files := []file{
		{f.Config, []byte(configText(f.Emulated, data)), 0o644},
		{filepath.Join(beside, "pipelines.schema.json"), f.Schema, 0o644},
		{filepath.Join(beside, ".env.example"), envTemplate, 0o600}, // the copy of it needs this mode
	}
	if err := writeFiles(stdout, files, f.Force); err != nil {
		return err
	}
	lines := []string{"/.env"}
	if filepath.IsLocal(data) {
		lines = []string{"/" + filepath.ToSlash(data) + "/", "/.env"}
	}
	return extendGitignore(stdout, filepath.Join(beside, ".gitignore"), lines)
}

// file is a file to write.
type file struct {
	name string
	text []byte
	mode fs.FileMode
}

func writeFiles(stdout io.Writer, files []file, force bool) error {
	for _, f := range files {
		if _, err := os.Lstat(f.name); !force && !errors.Is(err, fs.ErrNotExist) {
			return &problem.Problem{Class: "config", What: f.name + " is already there; nothing was written", Next: "go to another directory, or overwrite it: --force"}
		}
	}
	for _, f := range files {
		write := createNew
		if force {
			write = func(name string, text []byte, mode fs.FileMode) error { return renameio.WriteFile(name, text, mode) }
		}
		if err := write(f.name, f.text, f.mode); err != nil {
			return &problem.Problem{Class: "config", What: "write " + f.name, Err: err, Next: "give a writable directory: -f DIR/pipelines.yaml"}
		}
		fmt.Fprintln(stdout, "wrote "+f.name)
	}
	return nil
}

// dataDir returns warehouse.dir for a configuration file, which it is relative to; dir is the value of --dir, if it is given.
func dataDir(file, dir string) (string, error) {
	if dir == "" || filepath.IsAbs(dir) {
		return cmp.Or(dir, "data"), nil
	}
	from, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// configText is pipelines.yaml for a real workspace, or for the embedded one, with its data in a directory.
func configText(emulated bool, data string) string {
	text := configTemplate
	if data != "data" {
		text = strings.NewReplacer("dir: data  ", "dir: "+strconv.Quote(data)+"  ", "# data/warehouse.duckdb and data/lake/, beside this file", "# relative to this file").Replace(text)
	}
	if !emulated {
		return text
	}
	weekdays, holidays := emulate.OfficeHours()
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch strings.TrimSpace(line[:strings.IndexAny(line, ":\n")]) {
		case "base_url":
			line = "    base_url: emulator               # the embedded workspace; for your own: ${WORKSPACE_URL}, and token: ${WORKSPACE_TOKEN}\n"
		case "token":
			continue
		case "office_hours":
			line = strings.Replace(line, "usual hours, to change to yours", "those of the emulated team, to change to yours", 1)
		case "monday", "tuesday", "wednesday", "thursday", "friday":
			line = strings.Replace(line, "09:00-17:00", weekdays, 1)
		case "# holidays":
			line = "    holidays: [" + strings.Join(holidays, ", ") + "]\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// createNew writes a file that does not exist yet.
func createNew(name string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// extendGitignore adds the missing lines to .gitignore: the data, and the file with tokens.
func extendGitignore(stdout io.Writer, name string, lines []string) error {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	added := ""
	for _, line := range lines {
		if !strings.Contains("\n"+strings.ReplaceAll(string(text), "\r\n", "\n")+"\n", "\n"+line+"\n") {
			added += line + "\n"
		}
	}
	if added == "" {
		return nil
	}
	if len(text) > 0 && !strings.HasSuffix(string(text), "\n") {
		added = "\n" + added
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("add lines to %s: %w", name, err)
	}
	_, err = f.WriteString(added)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("add lines to %s: %w", name, err)
	}
	fmt.Fprintf(stdout, "added to %s: %s\n", name, strings.Join(strings.Fields(added), " "))
	return nil
}
