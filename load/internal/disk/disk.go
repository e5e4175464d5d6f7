// Package disk copies and moves files durably, and recognizes the errors of a full or failing disk.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrFull is every error about a full disk.
var ErrFull = errors.New("the disk is full")

// ErrNoRoom is the ErrFull of a step that did not begin, because the disk has too little space for it.
var ErrNoRoom error = noRoom{}

type noRoom struct{}

func (noRoom) Error() string { return "too little disk space" }
func (noRoom) Unwrap() error { return ErrFull }

// Clone copies a file durably. It shares the blocks where the filesystem can, else it copies the bytes. Only the owner
// can read the copy.
func Clone(to, from string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if !reflink(target, source) {
		if _, err := io.Copy(target, source); err != nil {
			return err
		}
	}
	return target.Sync()
}

// Move gives a file or directory its final name, durably.
func Move(to, from string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if err := SyncDir(filepath.Dir(to)); err != nil {
		return err
	}
	if filepath.Dir(from) == filepath.Dir(to) {
		return nil
	}
	return SyncDir(filepath.Dir(from))
}

// SyncFile makes the content of a file durable.
func SyncFile(path string) error { return syncPath(path) }

// SyncDir makes the names in a directory durable.
func SyncDir(path string) error { return syncPath(path) }

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Exists reports whether a path exists, whatever it is.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Size is the size of a file in bytes; 0 where there is none.
func Size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// reserve is kept free in addition to what a step needs: for logs, run records and the operating system.
const reserve = 64 << 20

// Needed is the free space in bytes that a step needs to write so many bytes.
func Needed(bytes int64) int64 { return bytes + reserve }

// Free is how many bytes this user may still write in a directory.
func Free(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("ask for the free space of %s: %w", dir, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// Writable returns why this user may not make files in a directory; nil if it may.
func Writable(dir string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}

// Room returns ErrNoRoom, before anything is written, for a step that the disk has no space for.
func Room(dir string, need int64, what string) error {
	free, err := Free(dir)
	if err != nil || free >= Needed(need) {
		return err
	}
	return fmt.Errorf("%w: %s needs %s of free space in %s, %s are free, so %s more are needed; this step was not begun",
		ErrNoRoom, what, Bytes(Needed(need)), dir, Bytes(free), Bytes(Needed(need)-free))
}

// Explain makes an error that a full disk caused an ErrFull. It returns all other errors unchanged.
func Explain(err error, dir string) error {
	if err == nil || errors.Is(err, ErrFull) {
		return err
	}
	text := err.Error()
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
	for _, sign := range []string{"No space left on device", "Disk quota exceeded", "File too large"} {
		full = full || strings.Contains(text, sign)
	}
	if !full {
		return err
	}
	return fmt.Errorf("%w in %s: %w", ErrFull, dir, err)
}

// failures are the errors of the operating system for a disk that fails or accepts no more.
var failures = [...]syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EMFILE, syscall.ENFILE,
	syscall.ENXIO, syscall.ENODEV, syscall.ESTALE}

// Failed reports whether an error comes from the operating system's files, as Go or as DuckDB words it.
func Failed(err error) bool {
	text := strings.ToLower(err.Error())
	for _, errno := range failures {
		if errors.Is(err, errno) || strings.Contains(text, errno.Error()) {
			return true
		}
	}
	return strings.Contains(text, "fsync failed") // of the log; DuckDB does not say why
}

// Forbidden reports whether this user lacks the right to a file, as Go or as DuckDB words it.
func Forbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "Permission denied")
}

// Bytes writes a size for people.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
