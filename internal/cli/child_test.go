package cli

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"unsafe"
)

// onFullDisk runs the program with files of at most DISK_KIB. The kernel refuses each write beyond that, as on a full disk.
func onFullDisk() {
	fillDisk()
	os.Args[0] = "aqueduck"
	runAsProgram()
}

// fillDisk limits the size of this process's files to DISK_KIB.
func fillDisk() {
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
}

// onLoopback runs the program in the separate network that unshare has made. It only has the loopback address.
func onLoopback() {
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{name: [16]byte{'l', 'o'}, flags: syscall.IFF_UP}
	const setFlags = 0x8914 // SIOCSIFFLAGS of Linux
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err == nil {
		if _, _, wrong := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), setFlags, uintptr(unsafe.Pointer(&request))); wrong != 0 {
			err = wrong
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	os.Args[0] = "aqueduck"
	runAsProgram()
}
