package cli

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"unsafe"
)

// onFullDisk is the program where no file may grow beyond DISK_KIB, which is what a full disk is to it: every write
// beyond is refused by the kernel.
func onFullDisk() {
	fillDisk()
	os.Args[0] = "aqueduck"
	runAsProgram()
}

// fillDisk lets no file of this process grow beyond DISK_KIB.
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

// onLoopback is the program in a network of its own, as unshare has made it, which this brings up: there is this machine's
// address in it, and no way to any other.
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
