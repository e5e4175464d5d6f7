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

	"aqueduck/load/access"
	"aqueduck/load/internal/disk"
)

// Dir is the path of one warehouse's directory.
type Dir string

// Explain makes an error of writing below the directory a failure.ErrDiskFull where the disk is full.
func (d Dir) Explain(err error) error { return disk.Explain(err, string(d)) }

// Link is the path that people open: a symbolic link to the newest published file.
func (d Dir) Link() string { return filepath.Join(string(d), "warehouse.duckdb") }

// Lake is the directory of one workspace's Parquet files.
func (d Dir) Lake(schema string) string { return filepath.Join(string(d), "lake", schema) }

// State is the directory of everything that is not for readers.
func (d Dir) State() string { return filepath.Join(string(d), ".aqueduck") }

// Published is the directory of the published files, which never change.
func (d Dir) Published() string { return filepath.Join(d.State(), "published") }

// Work is the directory of the work database and its log.
func (d Dir) Work() string { return filepath.Join(d.State(), "work") }

// Database is the work database. Only the process that holds the lock opens it, and once (T155).
func (d Dir) Database() string { return filepath.Join(d.Work(), "work.duckdb") }

// Temp is a directory that each start empties.
func (d Dir) Temp() string { return filepath.Join(d.State(), "tmp") }

// lockFile is locked by the process that writes the warehouse.
func (d Dir) lockFile() string { return filepath.Join(d.State(), "lock") }

// serveFile is locked by the process that runs the scheduled pipelines.
func (d Dir) serveFile() string { return filepath.Join(d.State(), "serving") }

// emulatorName is the name of the file with the clock of an emulated workspace.
const emulatorName = "emulator.json"

// EmulatorFile has the settings and the clock of the emulated workspace that fills the warehouse. A real workspace's warehouse has none.
func (d Dir) EmulatorFile() string { return filepath.Join(d.State(), emulatorName) }

// RunFile says what the running process does.
func (d Dir) RunFile() string { return filepath.Join(d.State(), "run.json") }

// EndsFile has a line for the end of each of the last runs, also of those that published nothing.
func (d Dir) EndsFile() string { return filepath.Join(d.State(), "ended.jsonl") }

// RunDir has the traces of the newest runs.
func (d Dir) RunDir() string { return filepath.Join(d.State(), "runs") }

// LogSuffix ends the name of a run's log in RunDir.
const LogSuffix = ".log"

// RejectDir has the text of rejected records without a key, for a few days.
func (d Dir) RejectDir() string { return filepath.Join(d.State(), "rejects") }

func (d Dir) formatFile() string { return filepath.Join(d.State(), "format") }

// Make makes the directory a warehouse, or recognizes one. It refuses a directory with other content, and changes nothing
// in it. backup is true for a directory with only a published file, and perhaps erasures.log, hash.key and emulator.json: a
// backup, which the caller adopts.
func (d Dir) Make() (backup bool, err error) {
	if err := Trusted(d); err != nil {
		return false, err
	}
	known, err := isWarehouse(d)
	if err != nil {
		return false, err
	}
	if !known {
		if err := refuseOther(d); err != nil {
			// Another process may have been making the same warehouse, and has marked it since.
			if known, again := isWarehouse(d); again != nil || !known {
				return false, err
			}
		}
	}
	if err := buildDir(d); err != nil {
		return false, disk.Explain(fmt.Errorf("prepare %s: %w", d, err), string(d))
	}
	info, err := os.Lstat(d.Link())
	return err == nil && info.Mode().IsRegular(), nil
}

// Trusted refuses a directory that another user could replace or change.
func Trusted(d Dir) error {
	if d == "" {
		return errors.New("the warehouse has no directory: set warehouse.dir or --dir")
	}
	// DuckDB takes what follows a question mark for parameters and puts its log elsewhere.
	if path, err := filepath.Abs(string(d)); err != nil || strings.Contains(path, "?") {
		return fmt.Errorf("%s cannot be a warehouse's directory: its path must not contain a ?", path)
	}
	for _, path := range []string{string(d), d.State(), d.Work(), d.Published(), filepath.Join(string(d), "lake")} {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			kind := "file"
			if info.Mode()&fs.ModeSymlink != 0 {
				kind = "link"
			}
			return fmt.Errorf("%s is a %s, not a directory: give the real directory", path, kind)
		}
		if disk.OwnedByOther(info) {
			return &OwnerError{Path: path, Owner: access.OwnerName(info)}
		}
		if info.Mode().Perm()&0o002 != 0 {
			return &PublicError{Path: path}
		}
	}
	return checkAbove(d)
}

// checkAbove refuses a directory below one where everybody may rename: the directories between could be replaced. It
// checks the path as it is named, and as its links lead.
func checkAbove(d Dir) error {
	named, err := filepath.Abs(string(d))
	if err != nil {
		return err
	}
	paths := []string{named}
	if real, err := filepath.EvalSymlinks(filepath.Dir(named)); err == nil { // an error: the directory does not exist yet
		paths = append(paths, filepath.Join(real, filepath.Base(named)))
	}
	for _, path := range paths {
		for up := filepath.Dir(path); ; up = filepath.Dir(up) {
			info, err := os.Stat(up)
			if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
				return fmt.Errorf("the directory %s, above %s, is writable by every user, who could replace it: run `chmod o-w %[1]s`, or give another", up, d)
			}
			if up == filepath.Dir(up) {
				break
			}
		}
	}
	return nil
}

// isWarehouse reports whether the directory is marked as a warehouse. It refuses the format of another version.
func isWarehouse(d Dir) (bool, error) {
	text, err := os.ReadFile(d.formatFile())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if string(text) != format {
		return false, &FormatError{d.formatFile(), strings.TrimSpace(string(text))}
	}
	return true, nil
}

// refuseOther checks a directory that is not marked. Empty, or with a backup alone, it is accepted; anything else is
// refused.
func refuseOther(d Dir) error {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.Name() == "warehouse.duckdb" && e.Type().IsRegular():
		case e.Name() == "erasures.log" || isPlaced(e) || e.Name() == "lost+found":
		case e.Name() == ".aqueduck" && isUnfinished(d):
		case e.Name() == ".aqueduck" && disk.Exists(d.Published()):
			return &UnmarkedError{d.formatFile()}
		default:
			return fmt.Errorf("%s is not a warehouse and contains %s", d, e.Name())
		}
	}
	return nil
}

// isUnfinished reports whether a first start was killed before it marked the directory, or a person put back a hash key or
// the emulator's file, and nothing else.
func isUnfinished(d Dir) bool {
	entries, err := os.ReadDir(d.State())
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), "format.new") && !isPlaced(e)
	})
}

// buildDir makes what is missing. Readers reach the published files through .aqueduck, but cannot list it. A new directory
// follows the umask.
func buildDir(d Dir) error {
	if err := os.MkdirAll(string(d), 0o777); err != nil {
		return err
	}
	a, err := access.Of(string(d))
	if err != nil {
		return err
	}
	if err := a.MakeDir(d.State(), 0o711); err != nil {
		return err
	}
	if !disk.Exists(d.formatFile()) {
		if err := markDir(d); err != nil {
			return err
		}
	}
	for _, path := range []string{d.Temp(), d.RejectDir(), d.RunDir()} {
		if err := makeDirectory(path, 0o700); err != nil {
			return err
		}
	}
	if err := shareAll(d, a); err != nil {
		return err
	}
	if err := errors.Join(placeHashKey(d), placeEmulator(d)); err != nil {
		return err
	}
	return disk.SyncDir(string(d))
}

// SetReaders gives the warehouse's directory the configured group and mode, and all shared files in it. It changes nothing
// that is so already, and nothing without a configuration: Make has followed the directory.
func SetReaders(d Dir, r access.Readers) error {
	if r == (access.Readers{}) {
		return nil
	}
	if err := r.Set(string(d)); err != nil {
		return err
	}
	a, err := access.Of(string(d))
	if err != nil {
		return err
	}
	return errors.Join(a.Share(d.State(), 0o711), shareAll(d, a))
}

// shareAll makes the directories for readers, and gives the files in them the access of the warehouse, if it has changed
// since they were made. The directory of the published files comes last: a start after a kill sees that there is more to do.
func shareAll(d Dir, a access.Access) error {
	lake := filepath.Join(string(d), "lake")
	now, err := os.Stat(d.Published())
	if err == nil && !a.Fits(now, 0o755) {
		err = errors.Join(a.ShareTree(lake), a.ShareTree(d.Published()))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(a.MakeDir(lake, 0o755), a.MakeDir(d.Published(), 0o755))
}

// markDir marks the directory as a warehouse. Other runs may do the same at that moment, so each writes the mark under a
// different name first.
func markDir(d Dir) error {
	fresh, err := os.CreateTemp(d.State(), "format.new-*")
	if err != nil {
		return err
	}
	_, err = fresh.WriteString(format)
	if err := errors.Join(err, fresh.Chmod(0o600), fresh.Sync(), fresh.Close()); err != nil {
		return err
	}
	return disk.Move(d.formatFile(), fresh.Name())
}

// makeDirectory makes a directory with exactly this mode, whatever the umask.
func makeDirectory(path string, mode fs.FileMode) error {
	if err := os.Mkdir(path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Chmod(path, mode)
}

// isPlaced reports whether an entry of a directory is a file that belongs to a backup, and that Make moves into its place.
func isPlaced(e fs.DirEntry) bool {
	return (e.Name() == hashKeyName || e.Name() == emulatorName) && e.Type().IsRegular()
}

// placeBeside moves a file that lies beside a backup into its place, readable by its owner only. It refuses one that check refuses, and one that
// differs from a file in its place; twice says what the two are.
func placeBeside(d Dir, name, twice string, check func(path string, text []byte) error) error {
	beside, place := filepath.Join(string(d), name), filepath.Join(d.State(), name)
	text, err := os.ReadFile(beside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		placed, err := os.ReadFile(place)
		if err == nil && !bytes.Equal(placed, text) {
			return fmt.Errorf("%s and %s are %s", beside, place, twice)
		}
		if err := check(beside, text); err != nil {
			return err
		}
		// Another run may have moved it a moment ago.
		if err := disk.Move(place, beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Chmod(place, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// placeEmulator moves the emulator's file that lies beside a backup into its place. A warehouse that has published has its own clock, or none.
func placeEmulator(d Dir) error {
	if info, err := os.Lstat(d.Link()); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return placeBeside(d, emulatorName, "two clocks: remove the one that is not of this backup", func(path string, text []byte) error {
		if !json.Valid(text) {
			return fmt.Errorf("%s is damaged: restore the original file", path)
		}
		return nil
	})
}
