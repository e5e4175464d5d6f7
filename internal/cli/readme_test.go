package cli

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"aqueduck/docs/queries"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/load/layout"
)

// codeBlock is a block of code of the README.
type codeBlock struct{ language, text string }

func readmeBlocks(t *testing.T) (blocks []codeBlock) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, codeBlock{m[1], m[2]})
	}
	return blocks
}

// blockContaining returns the only block of the README that contains a text.
func blockContaining(t *testing.T, language, holds string) string {
	t.Helper()
	var found []string
	for _, b := range readmeBlocks(t) {
		if b.language == language && strings.Contains(b.text, holds) {
			found = append(found, b.text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks of the README hold %q, want one", len(found), holds)
	}
	return found[0]
}

// makeCheckout returns a directory for the commands of the README, with the built program. Its `go` does nothing.
func makeCheckout(t *testing.T) string {
	t.Helper()
	dir := warehouseRoom(t)
	for _, name := range []string{"Makefile", "pipelines.yaml", "docs"} {
		from, err := filepath.Abs("../../" + name)
		if err == nil {
			err = os.Symlink(from, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.LookPath("aqueduck")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "bin"), 0o755)
	}
	if err == nil {
		err = os.Symlink(program, filepath.Join(dir, "bin", "aqueduck"))
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "tools"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tools", "go"), []byte("#!/bin/sh\n"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// runShell runs a command of the README in a shell.
func runShell(t *testing.T, dir, command string, env ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.Command("sh", "-e", "-c", command)
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &stderr
	c.Env = append(os.Environ(), append(env, "PATH="+filepath.Join(dir, "tools")+":"+os.Getenv("PATH"))...)
	if err := c.Run(); err != nil {
		t.Fatalf("%s\n%v\n%s%s", command, err, &stdout, &stderr)
	}
	return stdout.String()
}

// TestTheDemoOfTheReadmeWritesOnlyChanges runs `make demo` as the README says, again six hours later, and again when
// no hour has passed; then it looks around. make long has the demo at its full size.
func TestTheDemoOfTheReadmeWritesOnlyChanges(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("three runs of the demo: make test-all runs it")
	}
	least, env := 12_000, []string{"EMULATOR_CONTACTS=1500"}
	if os.Getenv("AQUEDUCK_LONG") != "" {
		least, env = 80_000, nil
	}
	dir := makeCheckout(t)
	demo := strings.TrimSpace(blockContaining(t, "", "make demo"))
	first, served := runShell(t, dir, demo, env...), servedOn(t, dir)
	second, servedNow := runShell(t, dir, demo, env...), servedOn(t, dir)
	third := runShell(t, dir, demo+" HOURS=0", env...)
	if all, some := rowsWritten(t, first), rowsWritten(t, second); all < least || some == 0 || 3*some >= all {
		t.Errorf("the first run wrote %d rows, the second %d", all, some)
	}
	// The workspace lives on while the second run reads it, some seconds of its six hours.
	later, some := rowsWritten(t, third), rowsWritten(t, second)
	if 20*later > some {
		t.Errorf("when no hour had passed %d rows were written, %d after six hours", later, some)
	}
	if demoAnswers(t, first) == demoAnswers(t, second) {
		t.Error("six hours of life changed no answer")
	}
	if later == 0 && demoAnswers(t, second) != demoAnswers(t, third) {
		t.Errorf("nothing was written, and the answers changed:\n%s\n%s", demoAnswers(t, second), demoAnswers(t, third))
	}
	// Cursors belong to an address. If another program took its port, the feed would be read from its beginning.
	if feed := regexp.MustCompile(`(?m)^  contact_activities +ok +\d\d\d? `); served == servedNow && !feed.MatchString(second) {
		t.Errorf("the feed was not read from its bookmark on:\n%s", second)
	}
	around := blockContaining(t, "", "bin/aqueduck status --dir demo")
	for line := range strings.Lines(around) {
		if out := runShell(t, dir, line); strings.Count(out, "\n") < 3 {
			t.Errorf("%s says only\n%s", line, out)
		}
	}
	everyQuestionIsAnswered(t, filepath.Join(dir, "demo"))
	runShell(t, dir, "make clean")
	if _, err := os.Stat(filepath.Join(dir, "demo")); !os.IsNotExist(err) {
		t.Errorf("make clean left the demo: %v", err)
	}
}

// everyQuestionIsAnswered runs the saved queries of the demo. In a small workspace it may be that nobody waits for an answer.
func everyQuestionIsAnswered(t *testing.T, dir string) {
	t.Helper()
	all, err := queries.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if rows, err := oracletest.QueryRows(layout.Dir(dir).Current(), q.SQL); err != nil || len(rows) == 0 && (q.Name != "conversations_waiting" || os.Getenv("AQUEDUCK_LONG") != "") {
			t.Errorf("%s: %d rows, %v", q.Name, len(rows), err)
		}
	}
}

// servedOn returns the port of the embedded workspace, with its other settings.
func servedOn(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "demo", ".aqueduck", "emulator.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(string(text), `"port":`)
	return port
}

// rowsWritten returns the number of rows in the last line of a run.
func rowsWritten(t *testing.T, out string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^OK nightly ok=\d+ unavailable=0 failed=0 rows=(\d+) `).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no run went well:\n%s", out)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// demoAnswers returns what the demo prints after the run: three questions with tables.
func demoAnswers(t *testing.T, out string) string {
	t.Helper()
	_, after, found := strings.Cut(out, "run=")
	if !found || strings.Count(after, "?\n  ") != 3 {
		t.Fatalf("there are no three questions with answers:\n%s", out)
	}
	_, after, _ = strings.Cut(after, "\n")
	return after
}

// TestTheReadmeWorksWithAnotherWorkspace runs the commands for a real workspace, and those of analysts, with an
// emulated one. Only its address and token differ.
func TestTheReadmeWorksWithAnotherWorkspace(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInsideSandbox(t)
	h := newHeld(t)
	dir := makeCheckout(t)
	out := ""
	for line := range strings.Lines(blockContaining(t, "", "export WORKSPACE_URL=emulator")) {
		if variable, _, exported := strings.Cut(strings.TrimPrefix(line, "export "), "="); !exported || !strings.HasPrefix(variable, "WORKSPACE_") {
			out += runShell(t, dir, line, h.environment()...)
		}
	}
	for _, want := range []string{"pipelines.yaml is right", " tables to create, 0 columns to add, ", "OK nightly ok=", "data      as of "} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
	runAsAnalyst(t, dir, blockContaining(t, "sql", "ATTACH"))
	made := runShell(t, dir, blockContaining(t, "", "streams new"), h.environment()...)
	for _, want := range []string{"contact_list_all  150 rows", "every field has a column", " GET /admins/activity_logs "} {
		if !strings.Contains(made, want) {
			t.Errorf("nothing says %q:\n%s", want, made)
		}
	}
	own := strings.Replace(everything, "[contacts,", "[company_notes, companies, contacts,", 1) + "\nstream_files: [streams/*.yaml]\n"
	runShell(t, dir, "cat > own.yaml <<'END'\n"+own+"END\ncat > streams/company_notes.yaml <<'END'\n"+blockContaining(t, "yaml", "stream: company_notes")+"END\n")
	out = runShell(t, dir, `bin/aqueduck sync -q --select companies --select company_notes; bin/aqueduck query -o csv "SELECT count(body) > 0 AS n FROM company_notes JOIN companies c ON c.id = company_id"`,
		append(h.environment(), "AQUEDUCK_FILE=own.yaml", "AQUEDUCK_DIR=own")...)
	if !strings.Contains(out, "OK nightly ok=4 ") || !strings.HasSuffix(out, "n\ntrue\n") {
		t.Errorf("the stream gives\n%s", out)
	}
}

// TestTheBlocksOfTheReadmeRunInOrder runs them as they are written, as a reader without an account does; the last
// one also after `make demo` alone. Only the number of contacts is smaller.
func TestTheBlocksOfTheReadmeRunInOrder(t *testing.T) {
	t.Parallel()
	skipInsideSandbox(t)
	dir, exports := makeCheckout(t), ""
	run := func(block string) string {
		out := runShell(t, dir, exports+block, "EMULATOR_CONTACTS=150")
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, "export ") {
				exports += line
			}
		}
		return out
	}
	for _, b := range readmeBlocks(t) {
		switch {
		case strings.Contains(b.text, "apt-get install"): // tools/release runs it on a bare system
		case b.text == "make demo\n":
			run(b.text)
			runShell(t, dir, blockContaining(t, "", "streams new")) // a reader may jump there
		case b.language == "":
			if out := run(b.text); strings.Count(out, "\n") < 5 {
				t.Errorf("%s says only\n%s", b.text, out)
			}
		case b.language == "sql":
			runAsAnalyst(t, dir, b.text)
		case b.language == "yaml":
			run("cat > streams/company_notes.yaml <<'END'\n" + b.text + "END\nbin/aqueduck check")
		}
	}
}

// TestEveryBlockOfTheReadmeIsRun checks that this file has a test for each block.
func TestEveryBlockOfTheReadmeIsRun(t *testing.T) {
	t.Parallel()
	if got := len(readmeBlocks(t)); got != 7 {
		t.Errorf("the README has %d blocks, six of them are run here, and the installation by the tests of tools/release", got)
	}
}

// runAsAnalyst runs statements in a process with DuckDB and without the program.
func runAsAnalyst(t *testing.T, dir, statements string) {
	t.Helper()
	asked := exec.Command("analyst")
	asked.Dir, asked.Stdin = dir, strings.NewReader(statements)
	if out, err := asked.CombinedOutput(); err != nil {
		t.Errorf("the SQL: %v\n%s", err, out)
	}
}

// askAsAnalyst runs the statements of standard input in a separate DuckDB.
func askAsAnalyst() {
	if err := runStatements(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runStatements() error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(string(text))
	return err
}
