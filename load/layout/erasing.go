package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/load/internal/disk"
)

// Erasures is the log of all erasures. A backup needs it.
func (d Dir) Erasures() string { return filepath.Join(string(d), "erasures.log") }

// ErasedAnything reports whether anything was ever erased here.
func (d Dir) ErasedAnything() bool { return disk.Exists(d.Erasures()) || d.Erasing() }

// Erasing reports whether files may still have erased bytes. Every publish then writes the file again, until one has
// removed them all.
func (d Dir) Erasing() bool { return disk.Exists(d.erasingFile()) }

func (d Dir) erasingFile() string { return filepath.Join(d.State(), "erasing") }

// BeginErasing records, durably, that files may have erased bytes.
func (d Dir) BeginErasing() error {
	if err := os.WriteFile(d.erasingFile(), nil, 0o600); err != nil {
		return err
	}
	return disk.SyncDir(d.State())
}

// ErasureTraces are files beside the published ones that may have erased data: damaged databases that were set aside,
// bookkeeping, and the text of rejected records, which cannot be searched for a person.
func ErasureTraces(d Dir) ([]string, error) {
	var all []string
	for dir, prefixes := range map[string][]string{d.State(): {"damaged-", bookkeepingPrefix}, d.RejectDir(): {""}} {
		entries, err := os.ReadDir(dir) // a glob would pass over a directory that cannot be read
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(e.Name(), prefix) }) {
				all = append(all, filepath.Join(dir, e.Name()))
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// dropEndMessages removes all messages from the ends of runs: a message may name a person, and which ones do is unknown.
func dropEndMessages(d Dir) error {
	text, err := os.ReadFile(d.EndsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		var end map[string]any
		if json.Unmarshal(line, &end) != nil {
			continue
		}
		if end["error"] != nil {
			end["error"] = "(erased)"
		}
		line, err := json.Marshal(end)
		if err != nil {
			return err
		}
		kept = append(append(kept, '\n'), line...)
	}
	fresh := filepath.Join(d.State(), "new-ended.jsonl") // after a kill, the next start removes it
	if err := errors.Join(os.WriteFile(fresh, kept, 0o600), disk.SyncFile(fresh)); err != nil {
		return err
	}
	return disk.Move(d.EndsFile(), fresh)
}

// EndErasing removes the other files that may have erased bytes, then records that no file has any. The caller has
// already written the published files again.
func (d Dir) EndErasing() error {
	traces, err := ErasureTraces(d)
	if err != nil {
		return err
	}
	for _, path := range traces {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if err := emptyDir(d.Temp()); err != nil {
		return err
	}
	if err := dropEndMessages(d); err != nil {
		return fmt.Errorf("delete the messages from %s: %w", d.EndsFile(), err)
	}
	// The removals must be durable before the mark goes: a power failure could bring back a file otherwise.
	for _, dir := range []string{d.Published(), d.RejectDir(), d.Temp(), d.State()} {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(d.erasingFile()), disk.SyncDir(d.State()))
}
