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

// launchVariable marks the environment of a process that becomes the watched program.
const launchVariable = "AQUEDUCK_WATCHED"

// Launch turns a process that Run has started into the watched program. In any other process it does nothing. TestMain calls it first. It has
// the kernel stop the process, and all its children, at the watched calls alone, so the others keep their speed.
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

// notWatched is the exit code of a process that could not become the watched program.
const notWatched = 99

// stopAtCalls installs a seccomp filter: watched calls stop for the tracer, all others continue.
func stopAtCalls(reads bool) error {
	const number = 0 // offset of the call's number in the data of the filter
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
