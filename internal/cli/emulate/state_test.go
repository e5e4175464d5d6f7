package emulate

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
)

func TestEmulateReportsWhatARestartLoses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gone.ndjson")
	closed, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	kept := &stateFile{path: file, file: closed}
	w := emulator.New(emulator.Config{Contacts: 60})
	w.SetJournal(kept.appendOperation)
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	for try := range 2 {
		if try == 1 { // what comes after a line that may be torn is not written, also where it could be
			if kept.file, err = os.OpenFile(file, os.O_RDWR, 0o600); err != nil {
				t.Fatal(err)
			}
			defer kept.file.Close()
		}
		resp, err := http.Post(s.URL+"/_emulator/live?hours=1", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(answer), "live is done, but a restart will not know of it: the emulator's state file "+file) {
			t.Errorf("it answers %s", answer)
		}
	}
	if text, err := os.ReadFile(file); err != nil || len(text) > 0 {
		t.Errorf("the state has %q, %v", text, err)
	}
}

func TestStateFileOfAMissingDirectoryIsNoFullDisk(t *testing.T) {
	t.Parallel()
	s := &stateFile{path: "none/state.ndjson"}
	for class, err := range map[string]error{"config": &fs.PathError{Op: "open", Path: s.path, Err: syscall.ENOENT}, "disk": &fs.PathError{Op: "write", Path: s.path, Err: syscall.ENOSPC}} {
		if p := problem.Classify(s.unusableError(err)); p.Class != class || strings.Contains(p.Next, "free some space") != (class == "disk") {
			t.Errorf("%v: %+v", err, p)
		}
	}
}
