package layout

import (
	"os"
	"path/filepath"

	"aqueduck/load/internal/disk"
)

// Room is the space on a warehouse's disk, in bytes.
type Room struct {
	Free  int64 `json:"free_bytes"`  // what this user may still write
	Needs int64 `json:"needs_bytes"` // what the next run needs at the warehouse's present size, else it is refused; 0 before the first run
}

// Short reports whether the next run would be refused.
func (r Room) Short() bool { return r.Free < r.Needs }

// String says it for people.
func (r Room) String() string {
	text := disk.Bytes(r.Free) + " free"
	if r.Needs > 0 {
		text += ", a run needs " + disk.Bytes(r.Needs)
	}
	return text
}

// Room measures the disk and writes nothing. Where the directory does not exist yet, it measures the nearest existing one
// above.
func (d Dir) Room() (r Room, err error) {
	size := 3 * disk.Size(d.Current()) // a copy to work in, then what a publish asks for
	if disk.Exists(d.Database()) {
		size = 2 * (disk.Size(d.Database()) + disk.Size(d.Database()+".wal"))
	}
	if size > 0 {
		r.Needs = disk.Needed(size)
	}
	dir, err := filepath.Abs(string(d))
	if err != nil {
		return r, err
	}
	for dir != filepath.Dir(dir) && !isDir(dir) {
		dir = filepath.Dir(dir)
	}
	r.Free, err = disk.Free(dir)
	return r, err
}

// Bytes formats a number of bytes for people.
func Bytes(n int64) string { return disk.Bytes(n) }

// CheckRoom refuses to write a file of a size, in bytes, to a path where the disk would be full.
func CheckRoom(path string, bytes int64) error {
	return disk.Room(filepath.Dir(path), bytes, "copying a file of the object store")
}

// ReplaceFile replaces a small private file of the warehouse, durably: after a kill it has its old content or the new one.
func ReplaceFile(d Dir, path string, content []byte) error {
	fresh := filepath.Join(d.State(), "new-"+filepath.Base(path))
	if err := os.WriteFile(fresh, content, 0o600); err != nil {
		return err
	}
	if err := disk.SyncFile(fresh); err != nil {
		return err
	}
	return disk.Move(path, fresh)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
