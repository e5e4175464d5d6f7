package cli

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/emulate"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
)

var (
	//go:embed starter/pipelines.yaml
	starterConfig string
	//go:embed starter/env.example
	starterEnv []byte
)

func newInit(env *Env) *cobra.Command {
	var emulated, force bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Create a pipelines.yaml",
		Long: `Create pipelines.yaml with comments and all streams, except handling_events and side_conversations, which cost a request per
conversation. hitl_events costs one, too: remove it if you do not need it. The office hours are 9 to 17 on weekdays, or
those of the emulated team: change them to yours. Also create its JSON Schema for editors, and .env.example with the variables that it names. Lines for the data
and for .env are added to .gitignore. --dir becomes warehouse.dir.

--emulator configures the embedded workspace: no account, no token, no network. Existing files are overwritten only with
--force.`,
		Example: "  aqueduck init\n  aqueduck init --emulator\n  aqueduck init -f /srv/aqueduck/pipelines.yaml",
		Args:    usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(env.file) != 1 {
				return usage.Errorf(c, "--file %s: init creates exactly one file", env.fileNames())
			}
			data, err := dataDir(env.file[0], env.dir)
			if err != nil {
				return err
			}
			files, err := starterFiles(env.file[0], starterText(emulated, data))
			if err != nil {
				return err
			}
			if err := writeStarters(env, files, data, force); err != nil {
				return err
			}
			next := "copy .env.example to .env, set its values, then: " + env.Name + " check --online"
			if emulated || env.variableOr("WORKSPACE_URL", "") == config.Emulator {
				next = env.Name + " sync nightly"
			}
			_, err = fmt.Fprintf(env.Stdout, "next: %s\n", next)
			return err
		},
	}
	c.Flags().BoolVar(&emulated, "emulator", false, "configure the embedded workspace")
	c.Flags().BoolVar(&force, "force", false, "overwrite existing files")
	return c
}

// starterFile is a file to write.
type starterFile struct {
	name string
	text []byte
	mode fs.FileMode
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

func starterFiles(config, text string) ([]starterFile, error) {
	schema, err := configSchema()
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(config)
	return []starterFile{
		{config, []byte(text), 0o644},
		{filepath.Join(dir, "pipelines.schema.json"), schema, 0o644},
		{filepath.Join(dir, ".env.example"), starterEnv, 0o600}, // the copy of it needs this mode
	}, nil
}

// starterText is pipelines.yaml for a real workspace, or for the embedded one, with its data in a directory.
func starterText(emulated bool, data string) string {
	text := starterConfig
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

// writeStarters writes the files and the lines of .gitignore. If one of the files exists, it writes nothing.
func writeStarters(env *Env, files []starterFile, data string, force bool) error {
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
		fmt.Fprintln(env.Stdout, "wrote "+f.name)
	}
	lines := []string{"/.env"}
	if filepath.IsLocal(data) {
		lines = []string{"/" + filepath.ToSlash(data) + "/", "/.env"}
	}
	return extendGitignore(env, filepath.Join(filepath.Dir(files[0].name), ".gitignore"), lines)
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
func extendGitignore(env *Env, name string, lines []string) error {
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
	fmt.Fprintf(env.Stdout, "added to %s: %s\n", name, strings.Join(strings.Fields(added), " "))
	return nil
}
