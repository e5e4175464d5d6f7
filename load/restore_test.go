package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// publishedWarehouse is a warehouse with one commit in a published file, made by hand, and another in the work database only.
func publishedWarehouse(t *testing.T) *testWarehouse {
	t.Helper()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: 5})
	must(t, w.Fold(t.Context()))
	must(t, w.Close())
	w.publishFile(t, "run1")
	w.openWork(t)
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "2", Updated: 5})
	must(t, w.Close())
	return w
}

// publishFile makes a published file of the closed work database, which is folded.
func (w *testWarehouse) publishFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(w.dir.Database())
	must(t, err)
	file := filepath.Join(w.dir.Published(), name+".duckdb")
	must(t, os.WriteFile(file, text, 0o444))
	must(t, layout.WriteSum(w.dir, layout.SumFile(file), file, name+".duckdb"))
	must(t, w.dir.SwapLink(file))
	return file
}

func corruptFile(t testing.TB, path string, at int64) {
	t.Helper()
	must(t, os.Chmod(path, 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	b := make([]byte, 64)
	_, err = f.ReadAt(b, at)
	must(t, err)
	for i := range b {
		b[i] ^= 0xff
	}
	_, err = f.WriteAt(b, at)
	must(t, errors.Join(err, f.Close()))
}

// TestF10DamagedWorkDatabaseIsRestored opens work databases with every kind of damage.
func TestF10DamagedWorkDatabaseIsRestored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, w *testWarehouse)
	}{
		{"empty file", func(t *testing.T, w *testWarehouse) { must(t, os.Truncate(w.dir.Database(), 0)) }},
		{"half a file", func(t *testing.T, w *testWarehouse) { must(t, os.Truncate(w.dir.Database(), 20_000)) }},
		{"not a database", func(t *testing.T, w *testWarehouse) { writeFile(t, w.dir.Database(), strings.Repeat("x", 100_000)) }},
		{"header", func(t *testing.T, w *testWarehouse) {
			corruptFile(t, w.dir.Database(), 4096)
			corruptFile(t, w.dir.Database(), 8192)
		}},
		{"T141 log", func(t *testing.T, w *testWarehouse) { corruptFile(t, w.dir.Database()+".wal", 300) }},
		{"T156 log of another file", func(t *testing.T, w *testWarehouse) {
			other := newWarehouse(t, load.Options{})
			other.ensureStream(t, committest.Stream())
			must(t, other.Close())
			text, err := os.ReadFile(other.dir.Database() + ".wal")
			must(t, err)
			must(t, os.WriteFile(w.dir.Database()+".wal", text, 0o600))
		}},
		{"marked by a run", func(t *testing.T, w *testWarehouse) { writeFile(t, filepath.Join(w.dir.Work(), "suspect"), "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := publishedWarehouse(t)
			writeFile(t, filepath.Join(w.dir.State(), "damaged-20200101T000000", "x"), "")
			c.damage(t, w)
			w.openWork(t)
			if !strings.Contains(w.Restored, "was set aside") || !strings.Contains(w.Restored, "run1.duckdb") {
				t.Errorf("restored: %q, want to hear what was done", w.Restored)
			}
			if c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 {
				t.Errorf("checkpoint %+v, %v; want that of the published file", c, err)
			}
			aside, err := filepath.Glob(filepath.Join(w.dir.State(), "damaged-*"))
			if err != nil || len(aside) != 1 || strings.Contains(aside[0], "2020") {
				t.Errorf("set aside: %v, %v; want the newest alone", aside, err)
			}
			w.ensureStream(t, committest.Stream())
			w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "2", Updated: 5})
		})
	}
}

// TestTornLogLosesOnlyItsLastCommit cuts a log where a kill could have.
// Holds: T141, F10.
func TestTornLogLosesOnlyItsLastCommit(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	must(t, os.Truncate(w.dir.Database()+".wal", w.LogSize()-20))
	w.openWork(t)
	c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
	if err != nil || c.Seq != 1 || w.Restored != "" {
		t.Errorf("checkpoint %+v, %v, restored %q; want the commit before the cut", c, err, w.Restored)
	}
}

// TestALogWithoutACompleteCommitIsFolded cuts a log of one commit at different places: that commit never was.
func TestALogWithoutACompleteCommitIsFolded(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	log, err := os.ReadFile(w.dir.Database() + ".wal")
	must(t, err)
	for _, cut := range []int{1, 50, len(log) / 2, len(log) - 1} {
		must(t, os.WriteFile(w.dir.Database()+".wal", log[:cut], 0o600))
		w.openWork(t)
		must(t, w.Fold(t.Context()))
		if c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 || w.Restored != "" || w.LogSize() > 0 {
			t.Errorf("cut at %d: checkpoint %+v, %v, a log of %d, restored %q; want that of the published file", cut, c, err, w.LogSize(), w.Restored)
		}
		must(t, w.Close())
	}
}

// TestMissingWorkDatabaseIsCopiedFromThePublishedFile also where its directory is there, or its log alone: what a disk may
// hold when the power went.
// Holds: F24.
func TestMissingWorkDatabaseIsCopiedFromThePublishedFile(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w *testWarehouse) error{
		"all":             func(w *testWarehouse) error { return os.RemoveAll(w.dir.Work()) },
		"all but its log": func(w *testWarehouse) error { return os.Remove(w.dir.Database()) },
		"all but its directory": func(w *testWarehouse) error {
			return errors.Join(os.Remove(w.dir.Database()), os.Remove(w.dir.Database()+".wal"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := publishedWarehouse(t)
			must(t, lose(w))
			w.openWork(t)
			if c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 || w.Restored != "" {
				t.Errorf("checkpoint %+v, %v, restored %q; want that of the published file and nothing repaired", c, err, w.Restored)
			}
		})
	}
}

// TestS26AChangedPublishedFileIsNotUsed falls back to an older file, and fails where every file has changed.
// Holds: F10.
func TestS26AChangedPublishedFileIsNotUsed(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	w.openWork(t)
	must(t, w.Fold(t.Context()))
	must(t, w.Close())
	newest := w.publishFile(t, "run2")
	old := filepath.Join(w.dir.Published(), "run1.duckdb")
	must(t, os.Chtimes(old, time.Unix(1, 0), time.Unix(1, 0)))
	must(t, os.RemoveAll(w.dir.Work()))

	corruptFile(t, newest, 50_000)
	w.openWork(t)
	if c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 || !strings.Contains(w.Restored, "run2") {
		t.Errorf("checkpoint %+v, %v, restored %q; want that of run1 and to hear of run2", c, err, w.Restored)
	}
	must(t, w.Close())
	must(t, os.RemoveAll(w.dir.Work()))
	must(t, os.Remove(layout.SumFile(old)))
	if _, err := load.OpenWork(t.Context(), w.dir, w.options); !errors.Is(err, failure.ErrNoWholeFile) {
		t.Errorf("open: %v, want failure.ErrNoWholeFile", err)
	}
	if _, err := os.Stat(w.dir.Work()); err == nil {
		t.Error("an empty work database was made although files are published")
	}
}

// TestLogBesideThePublishedFileIsNotCopied writes a log beside the published file, as an analyst's session does.
// Holds: T156, F11.
func TestLogBesideThePublishedFileIsNotCopied(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	must(t, os.RemoveAll(w.dir.Work()))
	writeFile(t, w.dir.Current()+".wal", "somebody else's")
	w.openWork(t)
	if c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 || w.Restored != "" {
		t.Errorf("checkpoint %+v, %v, restored %q; want that of the published file", c, err, w.Restored)
	}
}

// Holds: F24.
func TestBackupIsPutBackIntoAnEmptyDirectory(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	text, err := os.ReadFile(w.dir.Current())
	must(t, err)
	fresh := layout.Dir(filepath.Join(t.TempDir(), "fresh"))
	must(t, os.Mkdir(string(fresh), 0o755))
	must(t, os.WriteFile(fresh.Link(), text, 0o644))
	writeFile(t, filepath.Join(string(fresh), "erasures.log"), "")
	must(t, load.Prepare(fresh))
	must(t, load.Prepare(fresh))
	info, err := os.Lstat(fresh.Link())
	if err != nil || info.Mode()&os.ModeSymlink == 0 || fresh.Current() == "" {
		t.Errorf("the backup is not behind the link: %v, %v", info, err)
	}
	back, err := load.OpenWork(t.Context(), fresh, w.options)
	must(t, err)
	if c, err := back.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 {
		t.Errorf("checkpoint %+v, %v; want that of the backup", c, err)
	}
	must(t, back.Close())

	must(t, os.Remove(fresh.Link()))
	must(t, os.WriteFile(fresh.Link(), text, 0o644))
	var replaced *layout.LinkReplacedError
	if err := load.Prepare(fresh); !errors.As(err, &replaced) || replaced.Path != fresh.Link() {
		t.Errorf("a file in the place of the link: %v, want to hear what it is", err)
	}
	notOurs := layout.Dir(filepath.Join(t.TempDir(), "other"))
	writeFile(t, notOurs.Link(), "not a database")
	if err := load.Prepare(notOurs); err == nil || !strings.Contains(err.Error(), "backup") {
		t.Errorf("a file that is no database: %v, want a refusal", err)
	}
}

// TestS21LeftoversAreRemovedAtStart removes what a killed process left.
func TestS21LeftoversAreRemovedAtStart(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	for _, name := range []string{"trash-work/x", "new-run/x", "wtmp-work/x", "tmp/spill", ".run.json123"} {
		writeFile(t, filepath.Join(w.dir.State(), name), "")
	}
	w.openWork(t)
	for _, name := range []string{"trash-work", "new-run", "wtmp-work", "tmp/spill", ".run.json123"} {
		if _, err := os.Lstat(filepath.Join(w.dir.State(), name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// Holds: T150, F5.
func TestFullDiskIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	must(t, os.RemoveAll(w.dir.Work()))
	huge := filepath.Join(w.dir.Published(), "run1.duckdb")
	must(t, os.Chmod(huge, 0o600))
	must(t, os.Truncate(huge, 1<<43)) // a sparse file: it claims more than any disk has
	_, err := load.OpenWork(t.Context(), w.dir, w.options)
	if !errors.Is(err, failure.ErrDiskFull) || !strings.Contains(err.Error(), "GiB") {
		t.Errorf("open: %v, want failure.ErrDiskFull with sizes", err)
	}
	if _, err := os.Stat(w.dir.Work()); err == nil {
		t.Error("something was written")
	}
}
