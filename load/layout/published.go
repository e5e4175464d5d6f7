package layout

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/load/access"
	"aqueduck/load/internal/disk"
)

// Rollback makes an older published file the one that readers have. Later commits and checkpoints are lost: the next run
// begins with that file. A file that is not as it was published is refused, and nothing changes. The caller holds the
// lock.
func (d Dir) Rollback(file string) error {
	if filepath.Dir(file) != filepath.Clean(d.Published()) || !strings.HasSuffix(file, ".duckdb") {
		return fmt.Errorf("%s is not a published file of %s", file, d)
	}
	if err := CheckSum(file, SumFile(file)); err != nil {
		return err
	}
	return beginFrom(d, file)
}

// beginFrom makes a published file the one that readers have and the next run begins with. The caller has checked the file.
func beginFrom(d Dir, file string) error {
	// The link comes last. After a kill before it, readers have the file they had, and the next run begins with that file.
	if err := errors.Join(os.RemoveAll(d.Folded()), d.TrashWork(), d.EmptyTrash(), d.DropBookkeeping()); err != nil {
		return d.Explain(fmt.Errorf("remove the work database: %w", err))
	}
	if err := disk.SyncDir(d.State()); err != nil {
		return d.Explain(err)
	}
	return d.Explain(d.SwapLink(file))
}

// PublishedFiles gives the paths of the published files: first the one behind the link, then the others, newest first.
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

// newestFirst orders files by the run that published them, whose id has its time and sorts by it. A copy of a warehouse may give files other times; only
// those without such a name, as a restored backup, go by the time of their last write.
func newestFirst(a, b string) int {
	byA, byB := publishOf(a), publishOf(b)
	c := byB.at.Compare(byA.at)
	if c == 0 && byA.run != byB.run { // of one millisecond
		c = byB.written.Compare(byA.written)
	}
	return cmp.Or(c, cmp.Compare(len(b), len(a)), strings.Compare(b, a)) // -100 comes after -99
}

// fileTime is what a published file says of its age.
type fileTime struct {
	run         string // that published it; "" if its name does not tell
	at, written time.Time
}

func publishOf(file string) (t fileTime) {
	if info, err := os.Stat(file); err == nil {
		t.at, t.written = info.ModTime(), info.ModTime()
	}
	run, _, _ := strings.Cut(filepath.Base(file), "-")
	if id, err := ulid.ParseStrict(run); err == nil {
		t.run, t.at = run, ulid.Time(id.Time())
	}
	return t
}

// Current is the published file behind the link; "" where there is no link to a published file. Readers in this process open it
// and not the link: DuckDB identifies an open file by its path, and the link may lead to another file soon (T158).
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

// AsPublished reports whether the published file behind the link looks as it was published: it is not newer than its
// checksum, and no session left a log beside it. Reading all of it, as CopyPublished does, would cost as much as a copy.
func (d Dir) AsPublished() bool {
	file := d.Current()
	if file == "" || disk.Exists(file+".wal") {
		return false
	}
	content, err := os.Stat(file)
	if err != nil {
		return false
	}
	sum, err := os.Stat(SumFile(file))
	return err == nil && !content.ModTime().After(sum.ModTime())
}

// Readable is the path for a reader that opens it later: the link; "" where nothing is published, or no published file is left.
func (d Dir) Readable() string {
	files, err := d.PublishedFiles()
	if d.Current() == "" || len(files) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return ""
	}
	return d.Link()
}

// CopyPublished copies a published file into a new work directory, without a log that a session left beside it (T156). It
// refuses a file that is not as it was published.
func CopyPublished(d Dir, to, file string) error {
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

// InstallPublished makes a file that was published elsewhere the published file that readers have. It is complete, durable, and has the given
// checksum; its name is that of its publish. Later commits and checkpoints of this warehouse are lost. The caller holds the lock.
func InstallPublished(d Dir, from, name, sum string) error {
	file := filepath.Join(d.Published(), name)
	if err := os.RemoveAll(SumFile(file)); err != nil {
		return err
	}
	if err := recordSum(d, SumFile(file), sum, name); err != nil {
		return err
	}
	if err := access.Share(string(d), from, 0o444); err != nil {
		return err
	}
	if err := disk.Move(file, from); err != nil {
		return err
	}
	return beginFrom(d, file)
}
