package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// onFullDisk is the program where no file may grow beyond DISK_KIB, which is what a full disk is to it: every write
// beyond is refused by the kernel.
func onFullDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	most, err := strconv.ParseUint(os.Getenv("DISK_KIB"), 10, 32)
	if err == nil {
		most <<= 10
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	os.Args[0] = "aqueduck"
	main()
}
