package publish_test

import (
	"os/signal"
	"strconv"
	"syscall"
)

// limitFiles makes every write fail that would let a file grow beyond a size: what a full disk looks like to one file.
func limitFiles(bytes string) error {
	if bytes == "" {
		return nil
	}
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // the write then fails instead of the process
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}
