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
