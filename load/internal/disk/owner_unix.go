//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// OwnedByOther reports whether somebody else than the user of this process owns a file. Root is nobody else: it can change every file, and
// owns what is mounted for others.
func OwnedByOther(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int64(stat.Uid) != int64(os.Geteuid())
}
