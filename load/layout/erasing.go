package layout

import (
	"bytes"
	"cmp"
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
func (d Dir) BeginErasing() error { return markErasing(d, "") }

// BeginMasking records, durably, that files may have values that are masked from now on, the messages of ended runs too.
func BeginMasking(d Dir) error { return markErasing(d, maskedMark) }

// maskedMark in the file of the mark says that the messages of ended runs have to go. Their words cannot be compared with masked values.
const maskedMark = "messages"

func markErasing(d Dir, mark string) error {
	before, err := os.ReadFile(d.erasingFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(d.erasingFile(), []byte(cmp.Or(mark, string(before))), 0o600); err != nil {
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

// EraseFromEnds replaces words in the messages of ended runs. Their other words stay.
func EraseFromEnds(d Dir, words []string) error {
	var pairs []string
	for _, word := range words {
		pairs = append(pairs, word, Erased)
	}
	clean := strings.NewReplacer(pairs...)
	return rewriteEnds(d, func(end map[string]any) {
		for _, key := range []string{"error", "next", "line"} {
			if text, ok := end[key].(string); ok {
				end[key] = clean.Replace(text)
			}
		}
	})
}

// Erased stands in messages for what an erasure has removed.
const Erased = "(erased)"

// rewriteEnds changes the notes of ended runs, and writes those that changed.
func rewriteEnds(d Dir, change func(end map[string]any)) error {
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
		change(end)
		line, err := json.Marshal(end)
		if err != nil {
			return err
		}
		kept = append(append(kept, '\n'), line...)
	}
	if bytes.Equal(kept, text) {
		return nil
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
	if mark, err := os.ReadFile(d.erasingFile()); err != nil || string(mark) == maskedMark {
		err = errors.Join(err, rewriteEnds(d, func(end map[string]any) {
			if end["error"] != nil {
				end["error"] = Erased
			}
		}))
		if err != nil {
			return fmt.Errorf("delete the messages from %s: %w", d.EndsFile(), err)
		}
	}
	// The removals must be durable before the mark goes: a power failure could bring back a file otherwise.
	for _, dir := range []string{d.Published(), d.RejectDir(), d.Temp(), d.State()} {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(d.erasingFile()), disk.SyncDir(d.State()))
}
