//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// OwnedByOther reports whether somebody else than the user of this process owns a file.
func OwnedByOther(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) != int64(os.Geteuid())
}
