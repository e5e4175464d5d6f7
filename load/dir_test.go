package load_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// Holds: S19.
func TestPrepareRefusesWhatIsNotAWarehouse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"other files", func(t *testing.T, path string) { writeFile(t, filepath.Join(path, "thesis.tex"), "") }, "is not a warehouse and contains thesis.tex"},
		{"a file", func(t *testing.T, path string) { writeFile(t, path, "") }, "is a file, not a directory: give the real directory"},
		{"a link", func(t *testing.T, path string) { must(t, os.Symlink(t.TempDir(), path)) }, "is a link, not a directory: give the real directory"},
		{"writable by everybody", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)); must(t, os.Chmod(path, 0o777)) }, "is writable by every user"},
		{"of a later version", func(t *testing.T, path string) {
			writeFile(t, filepath.Join(path, ".aqueduck", "format"), "aqueduck warehouse 9\n")
		}, "another version of the program"},
		{"a warehouse whose mark is gone", func(t *testing.T, path string) {
			must(t, load.Prepare(layout.Dir(path)))
			must(t, os.Remove(filepath.Join(path, ".aqueduck", "format")))
			writeFile(t, filepath.Join(path, ".aqueduck", "published", "a.duckdb"), "")
		}, ".aqueduck/format is missing: every warehouse has this file"},
		{"a hidden directory of somebody else", func(t *testing.T, path string) { writeFile(t, filepath.Join(path, ".aqueduck", "x"), "") }, "contains .aqueduck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "data")
			c.make(t, path)
			if err := load.Prepare(layout.Dir(path)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Holds: S19.
func TestPrepareRefusesAReplaceableDirectory(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	must(t, os.Mkdir(filepath.Join(parent, "between"), 0o755))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(filepath.Join(parent, "between"), link))
	for mode, want := range map[fs.FileMode]bool{0o777: true, 0o777 | fs.ModeSticky: false, 0o775: false} {
		must(t, os.Chmod(parent, mode))
		for _, name := range []string{"data", "between/data", "between/none/data", link + "/data"} {
			path := name
			if !filepath.IsAbs(name) {
				path = filepath.Join(parent, name)
			}
			err := load.Prepare(layout.Dir(path))
			if refused := err != nil && strings.Contains(err.Error(), "above"); refused != want || !want && err != nil {
				t.Errorf("%s in a directory of mode %v: %v", name, mode, err)
			}
			must(t, os.RemoveAll(path))
		}
	}
	if err := load.Prepare(layout.Dir(filepath.Join(t.TempDir(), "what?", "data"))); err == nil || !strings.Contains(err.Error(), "?") {
		t.Errorf("error %v, want one about the question mark", err)
	}
}

func TestS57ADirectoryOfAnotherOwnerIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory to somebody else")
	}
	for _, inside := range []string{"", ".aqueduck", "lake"} {
		dir := t.TempDir()
		must(t, load.Prepare(layout.Dir(dir)))
		theirs := filepath.Join(dir, inside)
		must(t, os.MkdirAll(theirs, 0o700))
		must(t, os.Chown(theirs, 65534, 65534))
		if err := load.Prepare(layout.Dir(dir)); err == nil || !strings.Contains(err.Error(), theirs+" belongs to another user") {
			t.Errorf("%s: error %v", theirs, err)
		}
	}
}

func TestS20OnlySomeFilesAreForReaders(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	open, err := os.Stat(string(w.dir)) // as the umask of the test
	must(t, err)
	for path, want := range map[string]fs.FileMode{
		string(w.dir): 0o755, filepath.Join(string(w.dir), "lake"): 0o755, w.dir.Published(): 0o755, w.dir.State(): 0o711,
		w.dir.Work(): 0o700, w.dir.Temp(): 0o700, w.dir.RejectDir(): 0o700, w.dir.RunDir(): 0o700, w.dir.Database(): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if want &= 0o700 | open.Mode(); info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

// Holds: T145.
func TestF9OneProcessHoldsTheLock(t *testing.T) {
	t.Parallel()
	d := layout.Dir(filepath.Join(t.TempDir(), "data"))
	must(t, load.Prepare(d))
	pauses := 0
	pause := func(ctx context.Context, _ time.Duration) error { pauses++; return ctx.Err() }
	held, err := layout.Lock(t.Context(), d, 0, pause)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, d.RunFile(), fmt.Sprintf(`{"pid": %d, "run": "01K9", "pipeline": "nightly", "started": "2026-11-01T02:00:00Z", "more": 1}`, os.Getpid()))
	var busy *layout.BusyError
	if _, err := layout.Lock(t.Context(), d, time.Second, pause); !errors.As(err, &busy) || busy.Waited != time.Second {
		t.Fatalf("a second lock: %v, want busy after a second", err)
	}
	if want := fmt.Sprintf("process %d, pipeline nightly, run 01K9, since 2026-11-01T02:00:00Z", os.Getpid()); busy.Holder != want || pauses != 4 {
		t.Errorf("holder %q after %d pauses, want %q after 4", busy.Holder, pauses, want)
	}
	must(t, held.Release())
	again, err := layout.Lock(t.Context(), d, 0, pause)
	if err != nil {
		t.Fatalf("lock after release: %v", err)
	}
	must(t, again.Release())
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestF4FullDiskErrorsAreRecognized explains the operating system's errors, of a file that DuckDB did not write.
func TestF4FullDiskErrorsAreRecognized(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := layout.Dir("data").Explain(&os.PathError{Op: "write", Path: "run.json", Err: cause})
		if !errors.Is(err, failure.ErrDiskFull) || !strings.Contains(err.Error(), "the disk is full in data: ") {
			t.Errorf("%v: %v", cause, err)
		}
	}
	if err := layout.Dir("data").Explain(syscall.EIO); errors.Is(err, failure.ErrDiskFull) {
		t.Errorf("an error of another kind: %v", err)
	}
}

// TestConcurrentRunsPrepareOneDirectory prepares a new directory several times at once, as pipelines do that serve starts
// in the same minute.
func TestConcurrentRunsPrepareOneDirectory(t *testing.T) {
	t.Parallel()
	for range 20 {
		d := layout.Dir(filepath.Join(t.TempDir(), "data"))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := load.Prepare(d); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if left, err := filepath.Glob(filepath.Join(d.State(), "format.new*")); err != nil || len(left) > 0 {
			t.Errorf("%v %v", left, err)
		}
	}
}

// TestACopiedWarehouseLosesItsOldestFile: a copy gave each file a new time, the oldest the newest one. The names of runs say what is older; a restored
// backup has no such name, and its time.
func TestACopiedWarehouseLosesItsOldestFile(t *testing.T) {
	t.Parallel()
	d := layout.Dir(filepath.Join(t.TempDir(), "data"))
	must(t, load.Prepare(d))
	copied := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	var oldestFirst []string
	for i, name := range []string{"01J00000000000000000000000-01", "01J00000000000000000000000-99", "01J00000000000000000000000-100", "01K00000000000000000000000-01", "backup", "01Z00000000000000000000000-01"} {
		path := filepath.Join(d.Published(), name+".duckdb")
		writeFile(t, path, name)
		at := copied.Add(-time.Duration(i) * time.Hour)
		must(t, os.Chtimes(path, at, at))
		oldestFirst = append(oldestFirst, path)
	}
	must(t, d.SwapLink(oldestFirst[5]))
	for kept := 5; kept >= 0; kept-- {
		_, err := layout.PruneFiles(t.Context(), d, layout.Retention{Keep: kept})
		must(t, err)
		files, err := d.PublishedFiles()
		must(t, err)
		slices.Reverse(files)
		if want := oldestFirst[5-kept:]; !slices.Equal(files, want) {
			t.Fatalf("%d older files stay, oldest first %v; want %v", kept, files, want)
		}
	}
}
