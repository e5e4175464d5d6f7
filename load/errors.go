package load

import "aqueduck/load/internal/disk"

// ErrDiskFull is what every error about a full disk is.
var ErrDiskFull = disk.ErrFull

// DiskFailed says that an error is the operating system's word on a file: no fault of the program, nor of the data.
func DiskFailed(err error) bool { return disk.Failed(err) }

// Forbidden says that an error is that of a file which this user may not open, or not write.
func Forbidden(err error) bool { return disk.Forbidden(err) }
