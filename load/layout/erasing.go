package layout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

// BeginMasking records, durably, that files may have values that are masked from now on, the messages and logs of runs too.
func BeginMasking(d Dir) error { return markErasing(d, maskedMark) }

// maskedMark in the file of the mark says that the messages of ended runs, and the logs of runs, have to go. Their words cannot be compared with masked values.
const maskedMark = "messages"

// BeginAsked records, durably, that files may have the data of a person whom a command erases.
func BeginAsked(d Dir) error { return markErasing(d, askedMark) }

// WasAsked reports whether files may have erased data because a command that erases a person has not ended.
func WasAsked(d Dir) bool {
	mark, err := os.ReadFile(d.erasingFile())
	return err == nil && string(mark) == askedMark
}

// askedMark in the file of the mark says that a command erases a person.
const askedMark = "asked"

func markErasing(d Dir, mark string) error {
	before, err := os.ReadFile(d.erasingFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(before) == maskedMark {
		mark = maskedMark
	}
	if err := os.WriteFile(d.erasingFile(), []byte(cmp.Or(mark, string(before))), 0o600); err != nil {
		return err
	}
	return disk.SyncDir(d.State())
}

// IsUnclean reports whether the object store of the warehouse may still have erased or masked data.
func IsUnclean(d Dir) bool { return disk.Exists(uncleanFile(d)) }

func uncleanFile(d Dir) string { return filepath.Join(d.State(), "unclean") }

// BeginClean records, durably, that the object store may have erased or masked data.
func BeginClean(d Dir) error { return ReplaceFile(d, uncleanFile(d), nil) }

// BeginCleanOfStore is BeginClean where the warehouse has an object store, as far as a run has noted. A publish that removed erased or masked data calls it.
func BeginCleanOfStore(d Dir) error {
	if !disk.Exists(StoreNote(d)) {
		return nil
	}
	return BeginClean(d)
}

// StoreNote is the file with what the warehouse knows of its object store.
func StoreNote(d Dir) string { return filepath.Join(d.State(), "remote.json") }

// EndClean records that the object store has none.
func EndClean(d Dir) error {
	if err := os.RemoveAll(uncleanFile(d)); err != nil {
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

// EraseFromMessages replaces words in the messages of ended runs and in the logs of runs. Their other words stay.
func EraseFromMessages(d Dir, words []string) error {
	var pairs []string
	for _, word := range words {
		pairs = append(pairs, word, Erased)
	}
	clean := strings.NewReplacer(pairs...)
	err := rewriteLines(d, d.EndsFile(), func(end map[string]any) {
		for _, key := range []string{"error", "next", "line", missingModels} {
			if text, ok := end[key].(string); ok {
				end[key] = clean.Replace(text)
			}
		}
	})
	if err != nil {
		return err
	}
	logs, err := runLogs(d)
	for _, path := range logs {
		err = errors.Join(err, rewriteLines(d, path, func(line map[string]any) {
			for key, value := range line {
				if text, ok := value.(string); ok && key != slog.TimeKey && key != slog.LevelKey {
					line[key] = clean.Replace(text)
				}
			}
		}))
	}
	return err
}

// runLogs are the files with the logs of runs.
func runLogs(d Dir) ([]string, error) {
	entries, err := os.ReadDir(d.RunDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), LogSuffix) {
			paths = append(paths, filepath.Join(d.RunDir(), e.Name()))
		}
	}
	return paths, err
}

// missingModels is the key of the models that failed, in the note of a run: their errors may quote stored values.
const missingModels = "missing_models"

// Erased stands in messages for what an erasure has removed.
const Erased = "(erased)"

// masked stands in messages for those of runs before hash or drop was set.
const masked = "(removed: hash or drop was set)"

// rewriteLines changes the objects of a file of JSON lines, and replaces the file if one of them changed. Other lines stay as they are, and a line that is no
// object is left out. A line that another goroutine appends in the moment of the replacement is lost.
func rewriteLines(d Dir, path string, change func(line map[string]any)) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	changed := false
	for raw := range bytes.SplitSeq(text, []byte{'\n'}) {
		line, err := decodeLine(raw)
		if err != nil {
			continue
		}
		before, unwritable := json.Marshal(line)
		change(line)
		after, err := json.Marshal(line)
		if err := errors.Join(unwritable, err); err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			raw, changed = after, true
		}
		kept = append(append(kept, '\n'), raw...)
	}
	if !changed {
		return nil
	}
	fresh := filepath.Join(d.State(), "new-"+filepath.Base(path)) // after a kill, the next start removes it
	if err := errors.Join(os.WriteFile(fresh, kept, 0o600), disk.SyncFile(fresh)); err != nil {
		return err
	}
	return disk.Move(path, fresh)
}

// decodeLine reads an object. Its numbers keep their digits.
func decodeLine(raw []byte) (line map[string]any, err error) {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	err = in.Decode(&line)
	return line, err
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
		err = errors.Join(err, rewriteLines(d, d.EndsFile(), func(end map[string]any) {
			for _, key := range []string{"error", missingModels} {
				if end[key] != nil {
					end[key] = masked
				}
			}
		}))
		logs, unlisted := runLogs(d)
		err = errors.Join(err, unlisted)
		for _, path := range logs {
			err = errors.Join(err, os.Remove(path))
		}
		if err != nil {
			return fmt.Errorf("delete the messages from %s and the logs of runs: %w", d.EndsFile(), err)
		}
	}
	// The removals must be durable before the mark goes: a power failure could bring back a file otherwise.
	for _, dir := range []string{d.Published(), d.RejectDir(), d.RunDir(), d.Temp(), d.State()} {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(d.erasingFile()), disk.SyncDir(d.State()))
}
