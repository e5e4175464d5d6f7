package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/problem"
)

// inProcess returns an Env inside the test, which reads and writes nothing outside.
func inProcess(args ...string) (a *Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &Env{Name: "aqueduck", Args: append([]string{}, args...), Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr,
		Lookup: func(string) (string, bool) { return "", false }, Now: time.Now}, stdout, stderr
}

// everyCommand returns all commands that do something, also subcommands.
func everyCommand(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Runnable() && sub.Name() != "completion" && !sub.Hidden {
			all = append(all, sub)
		}
		if sub.Name() != "completion" {
			all = append(all, everyCommand(sub)...)
		}
	}
	return all
}

func TestHelpOfEachCommandHasExamplesAndEveryFlag(t *testing.T) {
	t.Parallel()
	a, _, _ := inProcess()
	commands := everyCommand(newRoot(a))
	if len(commands) < 12 {
		t.Fatalf("found %d commands", len(commands))
	}
	for _, c := range commands {
		words := strings.Fields(c.CommandPath())[1:]
		a, stdout, stderr := inProcess(append(words, "--help")...)
		if code := runCommand(context.Background(), a); code != 0 || stderr.Len() > 0 {
			t.Errorf("%s --help ended with %d: %s", c.CommandPath(), code, stderr)
		}
		page := stdout.String()
		if !strings.Contains(page, "\nExamples:\n  aqueduck") {
			t.Errorf("%s has no examples", c.CommandPath())
		}
		check := func(f *pflag.Flag) {
			if !strings.Contains(page, "--"+f.Name) || f.Usage == "" {
				t.Errorf("the help of %s does not tell of --%s", c.CommandPath(), f.Name)
			}
		}
		c.Flags().VisitAll(check)
		c.InheritedFlags().VisitAll(check)
	}
}

func TestExamplesOfHelpAreValidCommandLines(t *testing.T) {
	t.Parallel()
	a, _, _ := inProcess()
	for _, c := range append(everyCommand(newRoot(a)), newRoot(a)) {
		for line := range strings.Lines(c.Example) {
			_, line, found := strings.Cut(line, "aqueduck ")
			if !found {
				t.Errorf("%s: the example %q is of another program", c.CommandPath(), line)
				continue
			}
			if meant, err := parseCommandLine(line); err != nil || !strings.HasPrefix(meant, c.CommandPath()) {
				t.Errorf("%s: the example %q is not right: %v", c.CommandPath(), line, err)
			}
		}
	}
}

// parseCommandLine returns the command of a line, or the error of its flags and arguments.
func parseCommandLine(line string) (string, error) {
	line, _, _ = strings.Cut(line, " < ")
	line, _, _ = strings.Cut(line, " >> ")
	line, _, _ = strings.Cut(line, " > ")
	line, _, _ = strings.Cut(line, "  # ")
	a, _, _ := inProcess()
	root := newRoot(a)
	root.InitDefaultHelpCmd()
	meant, rest, err := root.Find(splitWords(line))
	if err == nil {
		err = meant.ParseFlags(rest)
	}
	if err == nil && meant.Args != nil {
		err = meant.Args(meant, meant.Flags().Args())
	}
	return meant.CommandPath(), err
}

func TestCommandLinesOfTheDocsAreValid(t *testing.T) {
	t.Parallel()
	var files []string
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ours := regexp.MustCompile("(?:^|`|&& )(?:bin/)?aqueduck ([a-z][^`\n]*)|`((?:sync|plan|state|query|status|serve|emulate) [^`\n]*-[^`\n]*)`")
	found := 0
	for _, file := range append(files, "../../README.md", "../../AGENTS.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			for _, m := range ours.FindAllStringSubmatch(line, -1) {
				found++
				if _, err := parseCommandLine(m[1] + m[2]); err != nil {
					t.Errorf("%s: %q is not right: %v", file, m[0], err)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("found %d command lines only", found)
	}
}

// splitWords splits a line as a shell does, as far as examples need it.
func splitWords(line string) (all []string) {
	word, quote := "", rune(0)
	for _, r := range strings.TrimSpace(line) + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && r == ' ':
			all, word = append(all, word), ""
		default:
			word += string(r)
		}
	}
	return all
}

func TestHelpTopicsAreThere(t *testing.T) {
	t.Parallel()
	for topic, wanted := range map[string]string{"exit-codes": " 143 by SIGTERM", "env": "EMULATOR_HOURS", "sync": "--full-refresh"} {
		a, stdout, _ := inProcess("help", topic)
		if code := runCommand(context.Background(), a); code != 0 || !strings.Contains(stdout.String(), wanted) {
			t.Errorf("help %s ended with %d and says\n%s", topic, code, stdout)
		}
	}
	a, stdout, _ := inProcess()
	if code := runCommand(context.Background(), a); code != 0 || !strings.Contains(stdout.String(), "exit-codes") {
		t.Errorf("without a command it ended with %d and says\n%s", code, stdout)
	}
}

// TestNextStepsRepeatFlagsInCommandsAlone adds the flags of the command line to every command, and to no sentence that has the program's name.
func TestNextStepsRepeatFlagsInCommandsAlone(t *testing.T) {
	t.Parallel()
	env, _, _ := inProcess()
	given := problem.JoinCLIFlags("-f", "my.yaml")
	for _, command := range newRoot(env).Commands() {
		name := "aqueduck " + command.Name()
		wanted := name + " -f my.yaml"
		if slices.Contains([]string{"completion", "help", "init", "version"}, command.Name()) || !command.IsAvailableCommand() {
			wanted = name
		}
		if next := given.Append(name + " nightly"); next != wanted+" nightly" {
			t.Errorf("a next step with %s is %q", name, next)
		}
	}
	if next := given.Append("give that directory: --dir DIR; without one: aqueduck sync"); next != "give that directory: --dir DIR; without one: aqueduck sync -f my.yaml" {
		t.Errorf("a next step with a placeholder is %q", next)
	}
	bug := problem.Classify(errors.New("unknown")).Next
	if next := given.Append(bug); !strings.Contains(bug, "aqueduck from") || next != bug {
		t.Errorf("the next step of a bug is %q", next)
	}
}

func TestShellCompletesPipelinesAndStreams(t *testing.T) {
	t.Parallel()
	for args, wanted := range map[string]string{"sync": "nightly\n", "plan": "nightly\n", "state rewind": "deleted_contacts\n", "state show": "contacts\n"} {
		a, stdout, _ := inProcess(append([]string{"__complete", "-f", "../../pipelines.yaml"}, append(strings.Fields(args), "")...)...)
		if code := runCommand(context.Background(), a); code != 0 || !strings.Contains(stdout.String(), wanted) {
			t.Errorf("%s: %d\n%s", args, code, stdout)
		}
	}
}

func TestShellCompletesValuesOfFlags(t *testing.T) {
	t.Parallel()
	for args, wanted := range map[string]string{"sync --select": "contacts\n", "sync --exclude": "deleted_contacts\n", "plan --select": "contacts\n", "runs --pipeline": "nightly\n",
		"query --workspace": "main\n", "query --saved": "contacts_by_country", "sync -o": "json\n", "status --output": "csv\n", "check --format": "github\n",
		"sync --progress": "plain\n", "sync --color": "never\n", "serve --log-level": "debug\n"} {
		a, stdout, _ := inProcess(append([]string{"__complete", "-f", "../../pipelines.yaml"}, append(strings.Fields(args), "")...)...)
		if code := runCommand(context.Background(), a); code != 0 || !strings.Contains(stdout.String(), wanted) {
			t.Errorf("%s: %d\n%s", args, code, stdout)
		}
	}
}

func TestShellCompletesStreamsOfATypedPipeline(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{"": false, "co": false, "night": true, "nightly.co": true, "nightly.x": false} {
		a, stdout, _ := inProcess("__complete", "-f", "../../pipelines.yaml", "verify", "--select", typed)
		if code := runCommand(context.Background(), a); code != 0 || strings.Contains(stdout.String(), "nightly.contacts\n") != want {
			t.Errorf("%q: %d\n%s", typed, code, stdout)
		}
	}
}

func TestStackOfAPanicIsShownOnRequest(t *testing.T) {
	t.Parallel()
	for _, asked := range []struct {
		flag, env string
		shown     bool
	}{{"--verbose", "", false}, {"-vv", "", true}, {"--quiet", "AQUEDUCK_DEBUG=1", true}, {"--quiet", "AQUEDUCK_DEBUG=0", false}, {"--quiet", "AQUEDUCK_VERBOSE=2", true}} {
		a, _, stderr := inProcess("schedule", "next", "-f", "../../pipelines.yaml", asked.flag)
		a.Lookup, a.Now = lookupIn(strings.Fields(asked.env)), func() time.Time { panic("no clock") }
		code := runCommand(t.Context(), a)
		text := stderr.String()
		if code != problem.ExitInternal || !strings.HasPrefix(text, "error[bug] panic: no clock\n     next: ") || strings.Contains(text, "goroutine ") != asked.shown || strings.Contains(text, "help_test.go") != asked.shown {
			t.Errorf("%+v: %d\n%s", asked, code, text)
		}
		stderr.Reset()
		printFailure(t.Context(), a, fmt.Errorf("stream tags: %w", errors.New("odd")))
		if text := stderr.String(); strings.Contains(text, "\n*fmt.wrapError: stream tags: odd\n*errors.errorString: odd\n") != asked.shown {
			t.Errorf("%+v: %s", asked, text)
		}
	}
}

func TestColoursAreOmittedOnRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag, env string
		want      bool
	}{
		{"auto", "", true}, {"auto", "TERM=xterm", true}, {"auto", "TERM=dumb", false}, {"auto", "NO_COLOR=1", false}, {"auto", "NO_COLOR=", true},
		{"auto", "FORCE_COLOR=1 TERM=dumb", true}, {"auto", "NO_COLOR=1 FORCE_COLOR=1", false}, {"always", "NO_COLOR=1", true}, {"never", "FORCE_COLOR=1", false},
	} {
		a, _, _ := inProcess()
		a.color, a.Lookup = c.flag, lookupIn(strings.Fields(c.env))
		if got := a.wantsColor(); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
