package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// Taken is what a machine took from the store.
type Taken struct {
	File  File      // the file of the head; the zero value where the store has none
	Moved time.Time // when it became the head
	New   bool      // it replaced the file of this machine, or is its first one
	Bytes int64     // transferred
	Note  string    // for the report of a run; "" if there is nothing to say

	Erased bool // the file complies with all erasures of this machine; else its sender has not ended one
}

// Take gives a warehouse the file of the head where another machine moved the head, and the erasures that the store has. Rows that only this machine
// has are lost: its next run reads them again, from the watermarks in the file. A warehouse whose data never was in this store is refused where the
// store has other data, and so is one that was sent elsewhere since, where another machine has moved the head meanwhile. The caller holds the lock, and has no work database open.
func (s *Store) Take(ctx context.Context, d layout.Dir, now time.Time) (t Taken, err error) {
	before, err := readKnown(d, s.place)
	if err != nil {
		return t, err
	}
	if err := s.takeErasures(ctx, d); err != nil {
		return t, err
	}
	log, err := readErasures(d)
	if err != nil {
		return t, err
	}
	for range maxTries {
		head, err := s.readHead(ctx)
		if err != nil {
			return t, err
		}
		if t, err = s.takeHead(ctx, d, before, head, now); !errors.Is(err, ErrNoObject) {
			t.Erased = head.Erasures == sumErasures(log)
			return t, err
		}
		// Another machine may have moved the head meanwhile, and have deleted the file.
	}
	return t, &problem.Problem{Class: "data", What: fmt.Sprintf("%s, which head.json names, is gone from %s", t.File.Object, s.place),
		Next: "restore the object, or delete head.json: then the next run of the machine with the newest data sends its file again"}
}

// takeHead is Take for one version of the head. The error is ErrNoObject if the head names a file that is not there.
func (s *Store) takeHead(ctx context.Context, d layout.Dir, before known, head Head, now time.Time) (t Taken, err error) {
	t.File, t.Moved = head.File, head.Moved
	current := d.Readable()
	if current != "" {
		current = d.Current()
	}
	switch {
	case head.Epoch == 0 && before.Epoch == 0:
		return t, known{Place: s.place, At: now.UTC(), Unsent: current != ""}.save(d)
	case head.Epoch == 0:
		t.Note = "head.json is gone from " + s.place + ": this run sends its file again"
		return t, known{Place: s.place, Epoch: before.Epoch, At: now.UTC(), Left: before.Left}.save(d)
	case head.version == before.Version && current != "":
		return t, nil
	case filepath.Base(current) == head.File.Name && layout.RecordedSum(current) == head.File.Sum:
		return t, head.save(d, s.place, now)
	case (before.Place == "" || before.Unsent || before.Left) && current != "":
		return t, &problem.Problem{Class: "config", What: fmt.Sprintf("%s has data that was never in %s, and that place has other data", d, s.place),
			Next: "to go on from the store give an empty directory, --dir DIR; to store this data name an empty place: warehouse.remote"}
	}
	if t.Bytes, err = s.fetch(ctx, d, head, current); err != nil {
		return t, err
	}
	t.New = true
	t.Note = fmt.Sprintf("this run began from the file that another machine sent to %s at %s", s.place, head.Moved.UTC().Format(time.DateTime))
	if head.version == before.Version {
		t.Note = fmt.Sprintf("the published files of this machine are gone: this run began from the file that %s has since %s", s.place, head.Moved.UTC().Format(time.DateTime))
	}
	crash.At(crash.RemoteTaken)
	return t, head.save(d, s.place, now)
}

// fetch makes the file of the head the published file of a warehouse, and returns the number of bytes that it transferred. current is the file that
// readers have; "" if there is none.
func (s *Store) fetch(ctx context.Context, d layout.Dir, head Head, current string) (int64, error) {
	fetched := filepath.Join(d.Temp(), head.File.Name)
	n, err := s.download(ctx, head.File, fetched, current)
	if err != nil {
		return n, d.Explain(err)
	}
	if len(head.Emulated) > 0 {
		if err := layout.ReplaceFile(d, d.EmulatorFile(), head.Emulated); err != nil {
			return n, d.Explain(err)
		}
	}
	return n, d.Explain(layout.InstallPublished(d, fetched, head.File.Name, head.File.Sum))
}

// erasuresName is the object with the log of erasures.
const erasuresName = "erasures.log"

// takeErasures adds the erasures of the store to those of the warehouse. Published files may then hold what is erased: the next publish writes them again.
func (s *Store) takeErasures(ctx context.Context, d layout.Dir) error {
	theirs, _, err := s.read(ctx, erasuresName)
	if errors.Is(err, ErrNoObject) {
		return nil
	}
	if err != nil {
		return err
	}
	ours, err := readErasures(d)
	if err != nil {
		return err
	}
	all, err := s.mergeErasures(d, ours, theirs)
	if err != nil || bytes.Equal(all, ours) {
		return err
	}
	if d.Current() != "" {
		if err := d.BeginErasing(); err != nil {
			return d.Explain(err)
		}
	}
	return d.Explain(layout.ReplaceFile(d, d.Erasures(), all))
}

func readErasures(d layout.Dir) ([]byte, error) {
	text, err := os.ReadFile(d.Erasures())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// mergeErasures returns the lines of both logs, each once, those of the first log first. Both begin with the line of the same salt.
func (s *Store) mergeErasures(d layout.Dir, first, second []byte) ([]byte, error) {
	lines, others := strings.SplitAfter(string(first), "\n"), strings.SplitAfter(string(second), "\n")
	if len(first) > 0 && len(second) > 0 && lines[0] != others[0] {
		return nil, &problem.Problem{Class: "data", What: fmt.Sprintf("%s and the one in %s have different salts: two machines made their first erasure at the same time", d.Erasures(), s.place),
			Next: "move the local file away, run aqueduck sync, and then erase these persons here again"}
	}
	seen := map[string]bool{}
	var all strings.Builder
	for _, line := range slices.Concat(lines, others) {
		if !seen[line] && strings.HasSuffix(line, "\n") {
			seen[line] = true
			all.WriteString(line)
		}
	}
	return []byte(all.String()), nil
}

// sumErasures is a checksum of a log of erasures that does not depend on the order of its lines; "" for an empty log.
func sumErasures(log []byte) string {
	if len(log) == 0 {
		return ""
	}
	lines := strings.SplitAfter(string(log), "\n")
	slices.Sort(lines)
	return sumOf([]byte(strings.Join(lines, "")))
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
