package load

import (
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
	"aqueduck/load/internal/workdb"
)

var (
	// ErrDiskFull is what every error about a full disk is.
	ErrDiskFull = disk.ErrFull
	// ErrDamaged is the answer of a work database that has shown damage: the next Open makes it from the published file.
	ErrDamaged = workdb.ErrDamaged
	// ErrFormat is the answer to a database that a newer version of the program made.
	ErrFormat = system.ErrFormat
	// ErrWorkMemory is the end of a commit or a publish that needs more memory than DuckDB may use; what was stored is as it was.
	ErrWorkMemory = duck.ErrMemory
)

// DiskFailed says that an error is the operating system's word on a file: no fault of the program, nor of the data.
func DiskFailed(err error) bool { return disk.Failed(err) }

// Forbidden says that an error is that of a file which this user may not open, or not write.
func Forbidden(err error) bool { return disk.Forbidden(err) }
