package diskfault

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launchVariable is in the environment of a process that is to become the watched one.
const launchVariable = "AQUEDUCK_WATCHED"

// Launch turns a process that Run has started into the program to be watched; in any other it does nothing. The test's
// TestMain calls it first. It has the kernel stop the process, and all that it starts, at the calls that are watched: at
// those alone, which leaves the others as fast as they are.
func Launch() {
	mode := os.Getenv(launchVariable)
	if mode == "" {
		return
	}
	runtime.LockOSThread()
	err := stopAtCalls(mode == "reads")
	if err == nil {
		env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, launchVariable+"=") })
		err = syscall.Exec(os.Args[1], os.Args[1:], env)
	}
	fmt.Fprintln(os.Stderr, "watch this process:", err)
	os.Exit(notWatched)
}

// notWatched is how a process ends that could not become the watched one.
const notWatched = 99

// stopAtCalls installs a filter: watched calls stop for the tracer, all others go on.
func stopAtCalls(reads bool) error {
	const number = 0 // where the kernel puts the number of the call
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	for _, nr := range watchedCalls(reads) {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
