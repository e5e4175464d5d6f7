package diskfault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Journal records what a process did to its files: enough to compute what a disk may contain after a power failure at any moment.
type Journal struct {
	dir   string
	start map[string]fileEntry // the files before the process started, by path below dir; all durable
	ops   []fileChange
}

// fileEntry is one file, directory or symbolic link.
type fileEntry struct {
	mode fs.FileMode // type and permissions
	data []byte
	link string
	at   time.Time // when it was last written
}

// fileChange is one change, or one fsync.
type fileChange struct {
	Call
	path, to string // below the directory; "." is the directory itself
}

// NewJournal starts with the current files, which count as durable.
func NewJournal(dir string) (*Journal, error) {
	j := &Journal{dir: dir, start: map[string]fileEntry{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return nil // the process will create the directory
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := fileEntry{mode: info.Mode(), at: info.ModTime()}
		switch {
		case f.mode.IsRegular():
			f.data, err = os.ReadFile(path)
		case f.mode&fs.ModeSymlink != 0:
			f.link, err = os.Readlink(path)
		}
		j.start[j.relativePath(path)] = f
		return err
	})
	return j, err
}

func (j *Journal) relativePath(path string) string {
	rel, err := filepath.Rel(j.dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return rel
}

// RecordCall adds a call that was made.
func (j *Journal) RecordCall(c Call) error {
	if c.Errno != 0 || c.Reads() {
		return nil
	}
	o := fileChange{Call: c, path: j.relativePath(c.Path)}
	switch c.Name {
	case "open":
		if !c.Made && c.Flags&syscall.O_TRUNC == 0 {
			return nil
		}
	case "rename", "link":
		o.to = j.relativePath(c.To)
	case "fallocate":
		return errors.New("the journal does not know what becomes of " + c.String())
	}
	j.ops = append(j.ops, o)
	return nil
}

// Len returns the number of changes. A process can end before each of them and after the last.
func (j *Journal) Len() int { return len(j.ops) }

// Change describes the last of the first n changes.
func (j *Journal) Change(n int) string {
	if n == 0 {
		return "none"
	}
	return strings.ReplaceAll(j.ops[n-1].Call.String(), j.dir, "")
}
