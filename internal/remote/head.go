package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// headName is the object that names the current file.
const headName = "head.json"

// File is a published file in the store. Beside its object is one with the checksums of its chunks.
type File struct {
	Name   string `json:"name"`   // as in .aqueduck/published of the machine that published it
	Object string `json:"object"` // where it is, below the place of the store; never used for other content
	Bytes  int64  `json:"bytes"`  // size
	Sum    string `json:"sha256"`
}

// RunID is the run that published the file; further files of one run end in -2, -3 ….
func (f File) RunID() string { return strings.TrimSuffix(f.Name, ".duckdb") }

// Head is head.json: which file counts.
type Head struct {
	Epoch    int64           `json:"epoch"` // grows by one with each change
	File     File            `json:"file"`
	Older    []File          `json:"older"`              // kept for a rollback, newest first
	Erasures string          `json:"erasures"`           // SHA-256 of the log of erasures that all these files comply with; "": there was none
	Unclean  bool            `json:"unclean,omitempty"`  // objects that no head names may have erased or masked data: the next machine that sends deletes them
	Writer   string          `json:"writer"`             // one change of one machine
	Moved    time.Time       `json:"moved_at"`           // by the clock of the machine that moved it
	Emulated json.RawMessage `json:"emulated,omitempty"` // settings and clock of the emulated workspace that fills the warehouse
	version  string
}

// readHead returns the head; the zero Head where there is none.
func (s *Store) readHead(ctx context.Context) (h Head, err error) {
	content, version, err := s.read(ctx, headName)
	if errors.Is(err, ErrNoObject) {
		return Head{}, nil
	}
	if err == nil {
		err = s.decodeObject(headName, content, &h)
	}
	if err == nil && (filepath.Base(h.File.Name) != h.File.Name || filepath.Ext(h.File.Name) != ".duckdb") {
		err = s.decodeObject(headName, nil, &h)
	}
	h.version = version
	return h, err
}

// moveHead makes h the head that follows a former one. The error is ErrMoved if another machine was first. It proves the conditions of the store
// before the first head.
func (s *Store) moveHead(ctx context.Context, former, h Head) (Head, error) {
	if former.Epoch == 0 {
		if err := s.proveConditions(ctx); err != nil {
			return h, err
		}
	}
	h.Epoch, h.Writer = former.Epoch+1, rand.Text()
	content, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return h, err
	}
	h.version, err = s.replace(ctx, headName, former.version, content)
	if errors.Is(err, ErrMoved) { // perhaps by this machine, whose first request succeeded and got no answer
		now, failed := s.readHead(ctx)
		if failed != nil {
			return h, failed
		}
		if now.Writer == h.Writer {
			return now, nil
		}
	}
	return h, err
}

// known is the state of the store that a warehouse was last equal to, or that it began from: .aqueduck/remote.json.
type known struct {
	Place   string    `json:"place"`
	Version string    `json:"version"` // of head.json
	Epoch   int64     `json:"epoch"`
	File    File      `json:"file"`
	At      time.Time `json:"at"` // by the machine's clock

	Unsent bool `json:"unsent,omitempty"` // the warehouse had data while the store had none: what another machine sends there is not a later state of it
	Left   bool `json:"left,omitempty"`   // the warehouse was sent to another place since: the files of this one are stale, and may have what was erased or masked meanwhile

	Others []known `json:"others,omitempty"` // the places that it was sent to before, each as it was left
}

// readKnown returns what a warehouse knows of a place; the zero value where it has never met it.
func readKnown(d layout.Dir, place string) (known, error) {
	k, err := readNote(d)
	if err != nil {
		return known{}, &problem.Problem{Class: "data", What: layout.StoreNote(d) + " is damaged", Err: err, Next: "delete this file: the next run reads the object store anew"}
	}
	for _, one := range append([]known{k}, k.Others...) {
		if one.Place == place {
			return one, nil
		}
	}
	return known{}, nil
}

// readNote reads remote.json; the zero value where there is none.
func readNote(d layout.Dir) (k known, err error) {
	content, err := os.ReadFile(layout.StoreNote(d))
	if errors.Is(err, os.ErrNotExist) {
		return known{}, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &k)
	}
	return k, err
}

// PlaceOf is the place in a store that a warehouse is kept in, as its last run noted it; "" if it is in none.
func PlaceOf(d layout.Dir) string {
	if state := ReadState(d); state != nil {
		return state.Place
	}
	return ""
}

// StoreState is what a warehouse knows of its object store.
type StoreState struct {
	Place string    `json:"place"`   // s3://bucket/prefix
	Epoch int64     `json:"epoch"`   // grows by one with each change of the head
	Run   string    `json:"run"`     // the run whose published file the store has
	At    time.Time `json:"seen_at"` // when this machine sent or took it, by its clock
	Whole bool      `json:"whole"`   // readers of this machine have the same file; else the next run sends theirs

	Unclean bool `json:"unclean"` // other objects may have erased or masked data; the next run deletes them
}

// ReadState returns what the last run of a warehouse noted about its object store; nil if it has none.
func ReadState(d layout.Dir) *StoreState {
	k, err := readNote(d)
	if err != nil || k.Place == "" {
		return nil // the next run reports a damaged note
	}
	current := d.Current()
	whole := current != "" && filepath.Base(current) == k.File.Name && layout.RecordedSum(current) == k.File.Sum
	return &StoreState{k.Place, k.Epoch, k.File.RunID(), k.At, whole, layout.IsUnclean(d)}
}

// save notes the head that the warehouse is equal to, or goes on from.
func (h Head) save(d layout.Dir, place string, now time.Time) error {
	return known{Place: place, Version: h.version, Epoch: h.Epoch, File: h.File, At: now.UTC()}.save(d)
}

func (k known) save(d layout.Dir) error {
	before, err := readNote(d)
	if err != nil {
		return err
	}
	for _, other := range append([]known{before}, before.Others...) {
		if other.Place != k.Place && other.Place != "" {
			other.Left, other.Others = true, nil
			k.Others = append(k.Others, other)
		}
	}
	content, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := layout.ReplaceFile(d, layout.StoreNote(d), content); err != nil {
		return d.Explain(fmt.Errorf("note the state of the object store: %w", err))
	}
	return nil
}

// files are all files of the head, the current one first; none before the first head.
func (h Head) files() []File {
	if h.Epoch == 0 && h.File.Name == "" {
		return nil
	}
	return append([]File{h.File}, h.Older...)
}

// equalTo reports whether two heads name the same files and erasures.
func (h Head) equalTo(other Head) bool {
	return h.Erasures == other.Erasures && slices.Equal(h.files(), other.files())
}
