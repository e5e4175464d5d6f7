package emulate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
)

// workspaceIdentity identifies the workspace of a state file: its settings before any operation. It is the first line of the file.
type workspaceIdentity struct {
	Version       int       `json:"emulator"` // of the file's format
	Seed          uint64    `json:"seed"`
	Population    string    `json:"population,omitempty"` // "": odd, as in files of earlier builds
	Contacts      int       `json:"contacts"`
	Conversations int       `json:"conversations"`
	Hours         int       `json:"hours"`
	Start         time.Time `json:"start"`
	Zone          string    `json:"zone"`
	Live          *liveness `json:"live,omitempty"` // nil: hours pass by operations only
}

const (
	stateVersion = 1
	stateBegins  = `{"emulator":`
)

// stateFile is a journal: the identity, then a line for each operation in order. A nil stateFile stores nothing.
type stateFile struct {
	path string
	file *os.File
	lock *flock.Flock
	done [][]byte // lines that are replayed at the start
	torn bool     // the last line was incomplete, and is dropped
	err  error    // why nothing more can be written
}

// openState locks the file for this process and reads it. A new file begins with the requested identity. Settings without a flag come from the
// file.
func openState(c *cobra.Command, path string, asked *workspaceIdentity) (_ *stateFile, err error) {
	s := &stateFile{path: path, lock: flock.New(path, flock.SetPermissions(0o600))}
	got, err := s.lock.TryLock()
	switch {
	case err != nil:
		return nil, s.unusableError(err)
	case !got:
		return nil, &problem.Problem{Class: "busy", What: "another aqueduck emulate serves the workspace of " + path, Next: "stop it, or give another file: aqueduck emulate --state FILE"}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.file, err = os.OpenFile(path, os.O_RDWR, 0o600); err != nil {
		return nil, s.unusableError(err)
	}
	text, err := io.ReadAll(s.file)
	if err != nil {
		return nil, s.unusableError(err)
	}
	if err := s.splitLines(text); err != nil {
		return nil, err
	}
	if len(s.done) == 0 {
		asked.Version = stateVersion
		return s, s.writeLine(asked)
	}
	first := s.done[0]
	s.done = s.done[1:]
	return s, s.checkIdentity(c, first, asked)
}

// splitLines splits the file into lines. It drops a last line without an end: the process ended while it wrote that line, and never confirmed
// the operation.
func (s *stateFile) splitLines(text []byte) error {
	whole := bytes.LastIndexByte(text, '\n') + 1
	ours := bytes.HasPrefix(text, []byte(stateBegins)) || strings.HasPrefix(stateBegins, string(text))
	if !ours {
		return s.damagedError(1, errors.New("it is not a state file of an emulated workspace"))
	}
	for line := range bytes.Lines(text[:whole]) {
		s.done = append(s.done, line)
	}
	if s.torn = whole < len(text); s.torn {
		if err := s.file.Truncate(int64(whole)); err != nil {
			return s.unusableError(err)
		}
	}
	if _, err := s.file.Seek(int64(whole), io.SeekStart); err != nil {
		return s.unusableError(err)
	}
	return nil
}

// checkIdentity compares the file's workspace with the requested one.
func (s *stateFile) checkIdentity(c *cobra.Command, line []byte, asked *workspaceIdentity) error {
	var have workspaceIdentity
	if err := decodeStrict(line, &have); err != nil {
		return s.damagedError(1, err)
	}
	if have.Version != stateVersion {
		return s.damagedError(1, fmt.Errorf("its format is %d, this program supports %d", have.Version, stateVersion))
	}
	if have.Population == "" {
		have.Population = emulator.Odd
	}
	if !isPopulation(have.Population) {
		return s.damagedError(1, fmt.Errorf("no population %q", have.Population))
	}
	for _, f := range []struct {
		flag       string
		have, want any
	}{{"seed", have.Seed, asked.Seed}, {"population", have.Population, asked.Population}, {"contacts", have.Contacts, asked.Contacts}, {"conversations", have.Conversations, asked.Conversations},
		{"hours", have.Hours, asked.Hours}, {"zone", have.Zone, asked.Zone}} {
		if c.Flags().Changed(f.flag) && f.have != f.want {
			return usage.Errorf(c, "--state %s is a workspace of --%s %v, not %v: omit --%[2]s, or give another file", s.path, f.flag, f.have, f.want)
		}
	}
	if err := checkLife(c, s.path, have.Live, asked.Live, have.Start); err != nil {
		return err
	}
	*asked = have
	return nil
}

// decodeStrict reads a line that has one JSON value without unknown fields.
func decodeStrict(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the JSON object")
	}
	return nil
}

// replayOperations repeats the operations of the file.
func (s *stateFile) replayOperations(w *emulator.Workspace, log *slog.Logger) error {
	if s == nil {
		return nil
	}
	for i, line := range s.done {
		var d emulator.JournalEntry
		err := decodeStrict(line, &d)
		if err == nil {
			err = w.ReplayOperation(d)
		}
		if err != nil {
			return s.damagedError(i+2, err)
		}
	}
	if s.torn {
		log.Warn("the last line of the state file is incomplete and is dropped; its request was never answered", "file", s.path)
	}
	if len(s.done) == 0 {
		log.Info("the state file has no events yet", "file", s.path)
		return nil
	}
	log.Info("the events of the state file were applied", "file", s.path, "controls", len(s.done))
	return nil
}

// appendOperation writes an operation. After an error it writes nothing more: a line after an incomplete one would damage the file.
func (s *stateFile) appendOperation(d emulator.JournalEntry) error {
	if s == nil {
		return nil
	}
	if s.err == nil {
		s.err = s.writeLine(d)
	}
	return s.err
}

func (s *stateFile) writeLine(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return s.unusableError(err)
	}
	return nil
}

func (s *stateFile) unusableError(err error) error {
	what := "the emulator's state file " + s.path + " cannot be used"
	if problem.Classify(err).Class == "disk" {
		return &problem.Problem{Class: "disk", What: what, Err: err, Next: "free some space, or give another file: aqueduck emulate --state FILE"}
	}
	return &problem.Problem{Class: "config", What: what, Err: err, Next: "give a file in a directory that exists and that this user can write to: aqueduck emulate --state FILE"}
}

func (s *stateFile) damagedError(line int, err error) error {
	return &problem.Problem{Class: "config", What: fmt.Sprintf("the emulator's state file %s:%d cannot be applied again", s.path, line), Err: err,
		Next: "delete this line and all lines after it, which hold later operations, or give another file: aqueduck emulate --state FILE"}
}

// Close closes the file and releases its lock.
func (s *stateFile) Close() error {
	var err error
	if s.file != nil {
		err = s.file.Close()
	}
	return errors.Join(err, s.lock.Unlock())
}
