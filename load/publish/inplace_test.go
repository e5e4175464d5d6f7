package publish_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/load/committest"
	"aqueduck/load/facts"
	"aqueduck/load/layout"
)

// readerFiles gives the size, time and checksum of every file that readers may open.
func readerFiles(t *testing.T, d layout.Dir) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, dir := range []string{d.Published(), d.Lake("main")} {
		must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			sum, err := layout.Sum(path)
			found[path] = fmt.Sprint(info.Size(), info.ModTime(), sum)
			return err
		}))
	}
	target, err := os.Readlink(d.Link())
	must(t, err)
	found["link"] = target
	return found
}

// TestARunThatWritesNoRowChangesNoFile has three such runs, and then one that changes a row: its publish has the
// checkpoint and the records of all of them.
func TestARunThatWritesNoRowChangesNoFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "x"), newPerson("2", "b"))
	saveRun(h, 2)
	h.publishAndReopen()
	before := readerFiles(t, h.dir)
	for n := range 3 {
		h.commitPeople(newPerson("1", "a", "x"))
		saveRun(h, 2)
		if r := h.publishAndReopen(); r.Published || r.File != h.dir.Current() {
			t.Errorf("run %d: result %+v; want nothing published", n, r)
		}
		if diff := cmp.Diff(before, readerFiles(t, h.dir)); diff != "" {
			t.Errorf("run %d changed files: %s", n, diff)
		}
		if c, err := h.work.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != int64(n+2) {
			t.Errorf("run %d: checkpoint %d, %v; want %d", n, c.Seq, err, n+2)
		}
	}
	h.commitPeople(newPerson("1", "other", "x"))
	saveRun(h, 2)
	if r := h.publishAndReopen(); !r.Published || r.Changed != 1 { // not the tags
		t.Errorf("result %+v of a run that changed a row", r)
	}
	for query, want := range map[string]string{
		"SELECT string_agg(run_id, ' ' ORDER BY run_id) FROM _sync.runs": "run01 run02 run03 run04 run05",
		"SELECT count(*) FROM _sync.stream_runs":                         "10",
		"SELECT seq FROM _sync.checkpoints":                              "5",
		"SELECT string_agg(run_id, ' ') FROM _sync.publishes":            "run01 run05",
		"SELECT string_agg(name, ' ' ORDER BY id) FROM people":           "other b",
	} {
		if got := firstColumn(t, h.dir, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v instead of %s", query, got, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(h.dir.State(), "bookkeeping-*")); err != nil || len(left) > 0 {
		t.Errorf("after the publish: %v, %v; want no older bookkeeping", left, err)
	}
}

// TestCountsThatAreTakenOverAreThoseOfTheRows makes a work database of a published file with a row that is soft-deleted, and soft-deletes another one. What is
// taken over from what the publish counted is what a count of all rows says.
func TestCountsThatAreTakenOverAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gone := func(id string) committest.Person { return committest.Person{Region: "eu", ID: id, GoneAt: 9} }
	h.commitPeople(newPerson("1", "a", "x"), newPerson("2", "b", "y"), newPerson("3", "c"))
	h.commitPeople(gone("3"))
	h.publishAndReopen()
	must(t, h.work.MakeWritable())
	counted := func(of *facts.Snapshot) facts.Snapshot {
		t.Helper()
		s, err := h.work.Facts.Snapshot(t.Context(), of)
		must(t, err)
		return s
	}
	if diff := cmp.Diff(counted(nil), *h.work.Published); diff != "" {
		t.Errorf("the published file has other counts: %s", diff)
	}
	h.commitPeople(gone("2"), newPerson("4", "d"))
	now := counted(h.work.Published)
	if diff := cmp.Diff(counted(nil), now); diff != "" {
		t.Errorf("after a commit there are other counts: %s", diff)
	}
	people, _ := now.Table([2]string{"main", "people_all"})
	if people.Rows != 4 || people.Shown != 2 {
		t.Errorf("people are %+v, want 4 rows and 2 shown", people)
	}
}

// TestANewDefinitionIsPublishedWithoutANewRow changes the comment of a relation.
func TestANewDefinitionIsPublishedWithoutANewRow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	s := h.runSpec()
	s.Schemas[0].Relations[0].Doc = "Another meaning."
	if r := h.publishOnly(s); !r.Published {
		t.Errorf("result %+v", r)
	}
	h.openRun()
	name := s.Schemas[0].Relations[0].Name
	if got := firstColumn(t, h.dir, "SELECT comment FROM duckdb_tables() WHERE table_name = '"+name+"' UNION ALL SELECT comment FROM duckdb_views() WHERE view_name = '"+name+"'"); len(got) != 1 || got[0] != "Another meaning." {
		t.Errorf("comment %v", got)
	}
}

// TestDamagedBookkeepingIsDoneWithout damages the small file that runs without a row leave: what they read is read again.
func TestDamagedBookkeepingIsDoneWithout(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string){
		"empty": func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
		"cut":   func(t *testing.T, path string) { must(t, os.Truncate(path, 20_000)) },
		"text": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("x", 100_000)), 0o600))
		},
		"blocks": spoilMiddle,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.commitPeople(newPerson("1", "a"))
			h.publishAndReopen()
			h.commitPeople(newPerson("1", "a"))
			h.publishOnly(h.runSpec())
			damage(t, h.dir.Bookkeeping(h.dir.Current()))
			h.openRun()
			h.commitPeople(newPerson("1", "other"), newPerson("2", "b"))
			if r := h.publishAndReopen(); !r.Published {
				t.Errorf("result %+v", r)
			}
			if got := firstColumn(t, h.dir, "SELECT string_agg(name, ' ' ORDER BY id) FROM people"); got[0] != "other b" {
				t.Errorf("people %v", got)
			}
		})
	}
}

// TestAWriteFindsAPublishedFileThatWasChanged changes the published file and hides it: its time is as before. The run
// that would write to a copy of it ends with an error, and the next one works in what was restored.
func TestAWriteFindsAPublishedFileThatWasChanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	h.commitPeople(newPerson("1", "b"))
	h.publishOnly(h.runSpec())
	file := h.dir.Current()
	info, err := os.Stat(file)
	must(t, err)
	must(t, os.Chmod(file, 0o600))
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt([]byte("changed"), info.Size()) // behind all blocks: opening the file does not read it
	must(t, err)
	must(t, f.Close())
	must(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	h.openRun()
	batches := committest.Batches(0, newPerson("1", "c"))
	defer committest.Release(batches)
	base, err := h.work.Checkpoints.Checkpoint(t.Context(), "main", "people")
	must(t, err)
	next := base
	next.Seq++
	if _, err := h.work.Commit(t.Context(), "main", "people", base, next, batches); err == nil || !strings.Contains(err.Error(), "was changed after it was published") {
		t.Fatalf("commit: %v; want to hear that the file was changed", err)
	}
	must(t, h.work.Close())
	h.openRun()
	h.commitPeople(newPerson("1", "d"))
	h.publishAndReopen()
	if got := firstColumn(t, h.dir, "SELECT string_agg(name, ' ' ORDER BY id) FROM people"); got[0] != "d" {
		t.Errorf("people %v", got)
	}
}

// TestRollbackUsesTheCheckpointsOfItsFile goes back to the file before: its checkpoint counts, whatever later runs read.
func TestRollbackUsesTheCheckpointsOfItsFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	first := h.publishAndReopen()
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen() // leaves bookkeeping of the first file
	h.commitPeople(newPerson("1", "b"))
	s := h.runSpec()
	s.Keep = 3
	h.publishOnly(s)
	must(t, h.dir.Rollback(first.File))
	h.openRun()
	if c, err := h.work.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 {
		t.Errorf("checkpoint %d, %v; want that of the file", c.Seq, err)
	}
}

// TestAnOlderFileInThePlaceOfANewerOneIsRefused puts the content of the file before, with its time, behind the newer name.
func TestAnOlderFileInThePlaceOfANewerOneIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	first := h.publishAndReopen()
	older, err := os.ReadFile(first.File)
	must(t, err)
	info, err := os.Stat(first.File)
	must(t, err)
	h.commitPeople(newPerson("1", "b"))
	s := h.runSpec()
	s.Keep = 3
	second := h.publishOnly(s)
	must(t, os.Chmod(second.File, 0o600))
	must(t, os.WriteFile(second.File, older, 0o600))
	must(t, os.Chtimes(second.File, info.ModTime(), info.ModTime()))
	h.openRun()
	if h.work.InPlace() || !strings.Contains(h.work.Restored, "was changed after it was published") {
		t.Errorf("in place %t, restored: %q", h.work.InPlace(), h.work.Restored)
	}
}
