package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
)

// suspectName is a file beside a work database that has shown damage.
const suspectName = "suspect"

// ErrNoWholeFile is the answer when the work database is gone and no published file is as it was published.
var ErrNoWholeFile = errors.New("no published file is whole")

func (d Dir) folded() string { return filepath.Join(d.State(), "folded") }

// tidy removes what a killed process left half done, and finishes a fold that was ready.
func (d Dir) tidy() error {
	if disk.Exists(d.folded()) {
		if err := d.finishFold(); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(d.State())
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, prefix := range []string{"trash-", "new-", "wtmp-", ".run.json"} { // the last is one that did not become run.json
			if strings.HasPrefix(e.Name(), prefix) {
				if err := os.RemoveAll(filepath.Join(d.State(), e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return emptyDir(d.Temp())
}

// emptyDir removes what is in a directory.
func emptyDir(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// finishFold puts the folded copy in the place of the work database, which holds the same rows.
func (d Dir) finishFold() error {
	if err := d.TrashWork(); err != nil {
		return err
	}
	crash.At(crash.FoldSwapping)
	if err := disk.Move(d.Work(), d.folded()); err != nil {
		return err
	}
	crash.At(crash.FoldSwapped)
	return d.EmptyTrash()
}

func (d Dir) trash() string { return filepath.Join(d.State(), "trash-work") }

// TrashWork takes the work database with its log out of the way, as one directory; the caller or the next start
// removes it.
func (d Dir) TrashWork() error {
	if err := os.RemoveAll(d.trash()); err != nil {
		return err
	}
	if !disk.Exists(d.Work()) {
		return nil
	}
	return disk.Move(d.trash(), d.Work())
}

// EmptyTrash removes what TrashWork took away.
func (d Dir) EmptyTrash() error { return os.RemoveAll(d.trash()) }

// setAside keeps a damaged work database, the newest one only, for whoever wants to look at it.
func (w *Work) setAside(cause error) error {
	d := w.dir
	old, err := filepath.Glob(filepath.Join(d.State(), "damaged-*"))
	if err != nil {
		return err
	}
	name := filepath.Join(d.State(), "damaged-"+w.options.Now().UTC().Format("20060102T150405.000000"))
	if err := disk.Move(name, d.Work()); err != nil {
		return fmt.Errorf("set the damaged work database aside: %w", err)
	}
	crash.At(crash.OpenAside)
	for _, path := range old {
		if path == name {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	w.Restored = fmt.Sprintf("the work database could not be used (%s) and was set aside as %s", firstLine(cause), name)
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// remake makes the work database from the newest published file that is as it was published, or an empty one when
// nothing was ever published. It tells which.
func (w *Work) remake(ctx context.Context) (string, error) {
	d := w.dir
	// Without a database the directory is what a lost disk write left of it.
	if err := errors.Join(d.TrashWork(), d.EmptyTrash()); err != nil {
		return "", err
	}
	files, err := d.PublishedFiles()
	if err != nil {
		return "", err
	}
	fresh := filepath.Join(d.State(), "wtmp-work")
	var problems []error
	for _, file := range files {
		err := d.copyPublished(fresh, file)
		if err == nil {
			crash.At(crash.OpenRestored)
			if len(problems) > 0 {
				w.Restored = fmt.Sprintf("the published file could not be used (%s)", firstLine(errors.Join(problems...)))
			}
			return filepath.Base(file), disk.Move(d.Work(), fresh)
		}
		if errors.Is(disk.Explain(err, ""), ErrDiskFull) {
			return "", err
		}
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return "", fmt.Errorf("%w: %w", ErrNoWholeFile, errors.Join(problems...))
	}
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return "", err
	}
	if err := w.create(ctx, filepath.Join(fresh, "work.duckdb")); err != nil {
		return "", err
	}
	crash.At(crash.OpenCreated)
	return "nothing: no file was published yet", disk.Move(d.Work(), fresh)
}

// create makes an empty database. It is checkpointed while it is still private, so that its log begins empty.
func (w *Work) create(ctx context.Context, path string) error {
	db, err := duck.Open(ctx, w.settings(path))
	if err != nil {
		return err
	}
	if err := createSystem(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	if err := checkpointClose(ctx, db, path); err != nil {
		return err
	}
	return errors.Join(os.Chmod(path, 0o600), disk.SyncDir(filepath.Dir(path)))
}

// PublishedFiles gives the published files: the one that the link leads to first, then the others, newest first.
func (d Dir) PublishedFiles() ([]string, error) {
	entries, err := os.ReadDir(d.Published())
	if err != nil {
		return nil, err
	}
	current := d.Current()
	var others []string
	for _, e := range entries {
		path := filepath.Join(d.Published(), e.Name())
		if strings.HasSuffix(e.Name(), ".duckdb") && path != current {
			others = append(others, path)
		}
	}
	slices.SortFunc(others, newestFirst)
	if current == "" || !disk.Exists(current) {
		return others, nil
	}
	return append([]string{current}, others...), nil
}

// newestFirst orders by the time of publishing, which is when the file was last written.
func newestFirst(a, b string) int {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil {
		return strings.Compare(b, a)
	}
	if c := y.ModTime().Compare(x.ModTime()); c != 0 {
		return c
	}
	return strings.Compare(b, a)
}

// Current is the published file that the link leads to, "" when there is no link of ours. Readers in this process
// open it instead of the link: DuckDB knows an open file by its path, and a path behind the link may have changed.
func (d Dir) Current() string {
	target, err := os.Readlink(d.Link())
	if err != nil {
		return ""
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(string(d), target)
	}
	if filepath.Dir(target) != filepath.Clean(d.Published()) {
		return ""
	}
	return target
}

// Readable is what to open to read what is published: the link, which leads to the newest file whatever is published
// meanwhile; "" when there is no link of ours.
func (d Dir) Readable() string {
	if d.Current() == "" {
		return ""
	}
	return d.Link()
}

// copyPublished copies a published file into a new work directory, without any log that somebody left beside it,
// and only when it is the file that was published.
func (d Dir) copyPublished(to, file string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := disk.Room(string(d), 2*disk.Size(file), "copying the published file"); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	copied := filepath.Join(to, "work.duckdb")
	if err := errors.Join(disk.Clone(copied, file), disk.SyncDir(to)); err != nil {
		return err
	}
	return CheckSum(copied, SumFile(file))
}

// SumFile is where the checksum of a published file is kept, in the form that sha256sum reads.
func SumFile(file string) string { return strings.TrimSuffix(file, ".duckdb") + ".sha256" }

// WriteSum writes the checksum that belongs to a file which will be called name.
func WriteSum(sumFile, file, name string) error {
	sum, err := Sum(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(sumFile, []byte(sum+"  "+name+"\n"), 0o444); err != nil {
		return err
	}
	if err := os.Chmod(sumFile, 0o444); err != nil { // whatever the umask
		return err
	}
	return disk.SyncFile(sumFile)
}

// Sum is the SHA-256 of a file in hexadecimal.
func Sum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// CheckSum refuses a file that is not the one whose checksum was written.
func CheckSum(file, sumFile string) error {
	text, err := os.ReadFile(sumFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: the file beside it was not published by this program", sumFile)
	}
	if err != nil {
		return err
	}
	want, _, _ := strings.Cut(string(text), " ")
	got, err := Sum(file)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the file of %s was changed after it was published", sumFile)
	}
	return nil
}

// adopt takes in a backup: a published file put back as warehouse.duckdb into an empty directory.
func (d Dir) adopt() error {
	files, err := d.PublishedFiles()
	if err != nil {
		return err
	}
	if len(files) > 0 || disk.Exists(d.Work()) {
		return fmt.Errorf("%s is no link of ours but a file of its own: move it away, the next run makes the link again", d.Link())
	}
	if disk.Exists(d.Link() + ".wal") {
		return fmt.Errorf("%s.wal lies beside the backup: a session changed it; put the file back alone, as it was published", d.Link())
	}
	ctx := context.Background() // one file is opened and closed
	db, err := duck.Open(ctx, duck.Options{Path: d.Link(), ReadOnly: true})
	if err != nil {
		return fmt.Errorf("open the backup %s: %w", d.Link(), err)
	}
	_, err = readMeta(ctx, db)
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s is no backup of a warehouse: %w", d.Link(), err)
	}
	file := filepath.Join(d.Published(), "backup.duckdb")
	// A killed process may have left a checksum, which nobody may write to.
	if err := os.RemoveAll(SumFile(file)); err != nil {
		return err
	}
	if err := WriteSum(SumFile(file), d.Link(), "backup.duckdb"); err != nil {
		return err
	}
	crash.At(crash.BackupSummed)
	if err := os.Chmod(d.Link(), 0o444); err != nil {
		return err
	}
	if err := disk.Move(file, d.Link()); err != nil {
		return err
	}
	crash.At(crash.BackupMoved)
	return d.SwapLink(file)
}

// SwapLink makes the link lead to a published file, in one step for readers.
func (d Dir) SwapLink(file string) error {
	fresh := filepath.Join(d.State(), "new-link")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	target, err := filepath.Rel(string(d), file)
	if err != nil {
		return err
	}
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return disk.Move(d.Link(), fresh)
}
