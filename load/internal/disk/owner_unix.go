//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// OwnedByOther reports whether another user than that of this process owns a file. Root does not count as another user:
// it can change every file anyway, and owns mounted directories.
func OwnedByOther(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int64(stat.Uid) != int64(os.Geteuid())
}

// Umask returns the permissions that new files of this process lack. It must not run beside a function that makes files.
func Umask() fs.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask)
}

// OwnerOf returns the number of the user who owns a file; -1 if it is unknown.
func OwnerOf(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

// GroupOf returns the number of the group that a file belongs to; -1 if it is unknown.
func GroupOf(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Gid)
}
