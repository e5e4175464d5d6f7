package cli

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
)

// analystVariable makes the test binary act as an analyst who has a file open for writing.
const analystVariable = "AQUEDUCK_TEST_ANALYST"

// analystMain changes the file at a path and prints a line. For each line of stdin it then prints what it sees, until it is told to leave.
func analystMain(path string) int {
	err := analyzeFile(path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func analyzeFile(path string) error {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE mine AS SELECT id FROM contacts_raw",
		"UPDATE _raw.contacts_raw SET name = 'changed by the analyst'",
		"DELETE FROM contact_activities",
		"DELETE FROM _sync.checkpoints",
	} {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	fmt.Println("changed")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() && lines.Text() != "leave" {
		var changed, events int
		query := "SELECT (SELECT count(*) FROM contacts_raw SEMI JOIN mine USING (id) WHERE name LIKE '%analyst'), (SELECT count(*) FROM contact_activities)"
		if err := db.QueryRow(query).Scan(&changed, &events); err != nil {
			return err
		}
		fmt.Printf("%s: %t %t\n", lines.Text(), changed > 0, events == 0)
	}
	return lines.Err()
}

// startAnalyst starts an analyst on the published file, after a chmod that lets it write.
func (s *emulatedSite) startAnalyst() *testProcess {
	s.t.Helper()
	if err := os.Chmod(s.dir.Current(), 0o644); err != nil {
		s.t.Fatal(err)
	}
	path, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	a := startProcess(s.t, path, []string{analystVariable + "=" + s.dir.Link()})
	a.waitForText("changed")
	return a
}

// TestT157WritingAnalystHarmsNobody keeps a session with uncommitted changes open while runs publish, and ends it in
// every way. The session keeps its data, and readers of the next file do not see its changes.
func TestT157WritingAnalystHarmsNobody(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 41)
	s.syncUntilEqual()
	for _, killed := range []bool{true, false} {
		a := s.startAnalyst()
		for i := range 3 { // the third publish removes the session's file
			s.life.passHours()
			s.syncUntilEqual()
			a.writeLine(fmt.Sprint("look ", i))
			a.waitForText(fmt.Sprintf("look %d: true true", i))
		}
		if killed {
			a.killAndWait()
		} else {
			a.writeLine("leave")
			a.requireSuccess()
		}
		s.life.passHours()
		s.syncUntilEqual()
		if left, err := filepath.Glob(filepath.Join(s.dir.Published(), "*.wal")); err != nil || len(left) > 0 {
			t.Errorf("logs were left behind: %v, %v", left, err)
		}
	}
	if _, err := os.Lstat(s.dir.Link() + ".wal"); err == nil {
		t.Error("a log lies beside the link")
	}
}

// TestT157ChangedPublishedFileIsNotUsed ends the session before the next run. That run reports that the
// published file was changed, and ends with all data.
// Holds: S26.
func TestT157ChangedPublishedFileIsNotUsed(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 42)
	s.syncUntilEqual()
	s.life.passHours()
	a := s.startAnalyst()
	a.killAndWait() // the changes are in a log beside the file, which stays as it was
	s.syncUntilEqual()
	s.life.passHours()
	a = s.startAnalyst()
	a.writeLine("leave") // the changes are in the file
	a.requireSuccess()
	s.life.passHours()
	p := s.startSync()
	p.requireSuccess()
	if want := "was changed after it was published"; !strings.Contains(p.outputText(), want) {
		t.Errorf("the run does not say that the file %s:\n%s", want, p.outputText())
	}
	s.syncUntilEqual()
}

// TestT146ReadersDelayNoRun reads all the time while runs publish: one reader keeps a file open, and one opens
// the published file again for each question.
// Holds: F12.
func TestT146ReadersDelayNoRun(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 43)
	s.syncUntilEqual()
	db, err := sql.Open("duckdb", s.dir.Current()+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const count = "SELECT count(*) FROM contact_activities"
	questions, old, fresh := 0, "", ""
	s.life.passHours()
	s.life.startActivity()
	p := s.startSync()
	for running := true; running; questions += 2 {
		select {
		case <-p.ended:
			running = false
		default:
		}
		var n string
		if err := db.QueryRow(count).Scan(&n); err != nil || old != "" && n != old {
			t.Fatalf("the file that is kept open: %s, %v; it was %s", n, err, old)
		}
		old = n
		rows, err := oracletest.QueryRows(s.dir.Link(), count)
		if err != nil || len(rows) != 1 {
			t.Fatalf("the published file: %v, %v", rows, err)
		}
		fresh = rows[0]
	}
	p.requireSuccess()
	if old == fresh {
		t.Errorf("both readers see %s events: the one that opens anew should see more", old)
	}
	t.Logf("%d questions", questions)
	s.syncUntilEqual()
}
