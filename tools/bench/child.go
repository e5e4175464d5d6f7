package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// processCost is the cost of a process.
type processCost struct {
	cpu  float64 // seconds, user and system
	wall float64 // seconds; means little on a shared machine
	peak int64   // largest resident memory in bytes
}

// childProcess is a process that is measured from its start to its end.
type childProcess struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	lines   *bufio.Reader // its standard output
	began   time.Time
	cost    processCost
}

// startRole starts one of the roles of this program in a new process.
func startRole(role string, args ...string) (*childProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startChild(exec.Command(self, append([]string{role}, args...)...))
}

// startChild starts a command. The kernel counts the memory of the parent as the child's peak too, so this process stays small, and everything
// large happens in children.
func startChild(command *exec.Cmd) (*childProcess, error) {
	c := &childProcess{command: command, began: time.Now()}
	command.Stderr = os.Stderr
	var err error
	if c.stdin, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.lines = bufio.NewReader(out)
	return c, command.Start()
}

// stopChild closes the child's input, reads its output to the end, and waits for it.
func (c *childProcess) stopChild() error {
	_, err := c.readToEnd()
	return err
}

// readToEnd is stopChild, and returns the rest of the output.
func (c *childProcess) readToEnd() (string, error) {
	closed := c.stdin.Close()
	text, err := io.ReadAll(c.lines)
	err = errors.Join(closed, err, c.command.Wait())
	c.cost = processCost{cpu: cpuSeconds(c.command.ProcessState), wall: time.Since(c.began).Seconds()}
	if usage, ok := c.command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.cost.peak = usage.Maxrss << 10 // the kernel counts in KiB
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", c.command, err, text)
	}
	return string(text), err
}

func cpuSeconds(s *os.ProcessState) float64 { return (s.UserTime() + s.SystemTime()).Seconds() }

// ownCPUTime returns the CPU time of this process so far, in seconds.
func ownCPUTime() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}

// measureRole runs a role to its end and returns its output and cost.
func measureRole(role string, args ...string) (string, processCost, error) {
	c, err := startRole(role, args...)
	if err != nil {
		return "", processCost{}, err
	}
	text, err := c.readToEnd()
	return text, c.cost, err
}
