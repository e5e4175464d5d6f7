package diskfault

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// longest is the time limit of a watched process.
const longest = 5 * time.Minute

// Run runs a program by its path and arguments under watch, and returns how it ended. The process starts as a copy of this one, so main or
// TestMain must call Launch.
func Run(w Watch, program ...string) (syscall.WaitStatus, error) {
	type end struct {
		status syscall.WaitStatus
		err    error
	}
	ended := make(chan end)
	go func() {
		runtime.LockOSThread() // never unlocked: the kernel accepts ptrace calls only from the tracing thread, which ends with its goroutine
		t := &processTracer{Watch: w, known: map[int]bool{}}
		status, err := t.traceProgram(program)
		ended <- end{status, err}
	}()
	e := <-ended
	return e.status, e.err
}

func (t *processTracer) traceProgram(program []string) (syscall.WaitStatus, error) {
	if err := t.startProgram(program); err != nil {
		return 0, err
	}
	tooLong := time.AfterFunc(longest, func() { _ = syscall.Kill(t.leader, syscall.SIGKILL) })
	defer tooLong.Stop()
	for {
		var status syscall.WaitStatus
		tid, err := t.nextStopped(&status)
		if err != nil {
			return 0, fmt.Errorf("wait for the watched process: %w", err)
		}
		if status.Exited() || status.Signaled() {
			if tid == t.leader && status.ExitStatus() == notWatched {
				return status, ErrUnsupported
			}
			if tid == t.leader {
				return status, t.err
			}
			continue
		}
		if err := t.resumeThread(tid, status); err != nil && !errors.Is(err, syscall.ESRCH) { // the thread may have ended meanwhile
			_ = syscall.Kill(t.leader, syscall.SIGKILL)
			t.err = errors.Join(t.err, err)
		}
	}
}

// nextStopped waits for any of the threads that this thread traces. The Go runtime may have used this thread to start another process. Its
// result belongs to whoever waits for that process, so WNOWAIT leaves it in place.
func (t *processTracer) nextStopped(status *syscall.WaitStatus) (int, error) {
	for {
		var info struct {
			_, _, code, _ int32
			pid           int32
			_             [108]byte
		}
		_, _, wrong := syscall.Syscall6(syscall.SYS_WAITID, unix.P_ALL, 0, uintptr(unsafe.Pointer(&info)),
			unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD, 0, 0)
		switch {
		case wrong == syscall.EINTR:
			continue
		case wrong != 0:
			return 0, wrong
		}
		tid := int(info.pid)
		if t.known[tid] || !isOwnChild(tid) {
			got, err := waitThread(tid, status)
			if errors.Is(err, syscall.ECHILD) && !t.known[tid] {
				continue // another process, reaped by its owner in the meantime
			}
			return got, err
		}
		time.Sleep(time.Millisecond) // its owner will reap it
	}
}

// isOwnChild reports whether this process, and not a traced one, started a process.
func isOwnChild(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && strings.Contains(string(text), fmt.Sprintf("\nTgid:\t%d\n", pid)) &&
		strings.Contains(string(text), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid()))
}

// waitThread waits for a thread that this thread traces.
func waitThread(tid int, status *syscall.WaitStatus) (int, error) {
	for {
		got, err := syscall.Wait4(tid, status, syscall.WALL|unix.WNOTHREAD, nil)
		if !errors.Is(err, syscall.EINTR) {
			return got, err
		}
	}
}

func (t *processTracer) startProgram(program []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	mode := "writes"
	if t.Reads {
		mode = "reads"
	}
	attr := &syscall.ProcAttr{
		Env: append([]string{launchVariable + "=" + mode}, t.Env...), Files: []uintptr{0, t.Out.Fd(), t.Out.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true},
	}
	if t.leader, err = syscall.ForkExec(self, append([]string{self}, program...), attr); err != nil {
		if errors.Is(err, syscall.EPERM) {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		return err
	}
	t.known[t.leader] = true
	var status syscall.WaitStatus
	if _, err := waitThread(t.leader, &status); err != nil {
		return err
	}
	options := unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
		unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(t.leader, options); err != nil {
		return errors.Join(err, syscall.Kill(t.leader, syscall.SIGKILL))
	}
	return syscall.PtraceCont(t.leader, 0)
}

// resumeThread continues a thread after its stop.
func (t *processTracer) resumeThread(tid int, status syscall.WaitStatus) error {
	first := !t.known[tid]
	t.known[tid] = true
	switch signal := status.StopSignal(); {
	case status.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		return t.traceCall(tid)
	case status.TrapCause() > 0, first && signal == syscall.SIGSTOP, signal == syscall.SIGTRAP|0x80:
		return syscall.PtraceCont(tid, 0)
	default:
		return syscall.PtraceCont(tid, int(signal))
	}
}

// traceCall handles one watched call from its beginning to its end while no other call begins, so the calls have an order.
func (t *processTracer) traceCall(tid int) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	c, ok := t.decodeCall(tid, &regs)
	if !ok {
		return syscall.PtraceCont(tid, 0)
	}
	fault := Fault{}
	switch {
	case c.Name == "ioctl" && regs.Rsi != unix.FICLONE:
		return syscall.PtraceCont(tid, 0)
	case c.Name == "ioctl":
		fault.Errno = syscall.EOPNOTSUPP // forces a copy byte by byte, with calls that show the data
	case t.Fault != nil:
		fault = t.Fault(c)
	}
	switch {
	case fault.Errno != 0:
		regs.Orig_rax, regs.Rax = ^uint64(0), uint64(-int64(fault.Errno))
		if err := syscall.PtraceSetRegs(tid, &regs); err != nil {
			return err
		}
		return syscall.PtraceCont(tid, 0)
	case fault.Short && c.Name == "write" && regs.Rdx > 1 && regs.Orig_rax != unix.SYS_WRITEV && regs.Orig_rax != unix.SYS_PWRITEV:
		regs.Rdx /= 2 // the length, of all calls but the vectored ones
		if err := syscall.PtraceSetRegs(tid, &regs); err != nil {
			return err
		}
	}
	if t.After == nil {
		return syscall.PtraceCont(tid, 0)
	}
	return t.finishCall(tid, c)
}

// finishCall lets the call be made and reports its result.
func (t *processTracer) finishCall(tid int, c Call) error {
	_, statErr := os.Lstat(c.Path)
	if err := syscall.PtraceSyscall(tid, 0); err != nil {
		return err
	}
	var status syscall.WaitStatus
	if _, err := waitThread(tid, &status); err != nil {
		return err
	}
	if status.Exited() || status.Signaled() {
		return nil
	}
	if status.StopSignal() != syscall.SIGTRAP|0x80 {
		return fmt.Errorf("after %s the process stopped for %v", c, status.StopSignal())
	}
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	result := int64(regs.Rax)
	if result < 0 {
		c.Errno = syscall.Errno(-result)
	}
	if c.Opens() {
		c.Made = c.Errno == 0 && statErr != nil
	}
	if c.Name == "write" && c.Errno == 0 {
		if err := t.readWritten(tid, &c, &regs, result); err != nil {
			return fmt.Errorf("see what %s wrote: %w", c, err)
		}
	}
	if err := t.After(c); err != nil && t.err == nil {
		t.err = err
	}
	return syscall.PtraceCont(tid, 0)
}
