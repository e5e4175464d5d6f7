package sandbox

import (
	"fmt"
	"syscall"
	"time"
)

// Limits bound what a task may use.
type Limits struct {
	Memory int64         // bytes of data; 0: no limit. Linux holds it, other systems may not
	CPU    time.Duration // of all its threads, until it calls LiftCPU; 0: no limit
}

// applyLimits puts this process under limits. That of memory it cannot raise.
func (l Limits) applyLimits() error {
	if l.Memory > 0 {
		if err := setLimit(syscall.RLIMIT_DATA, uint64(l.Memory), true); err != nil {
			return fmt.Errorf("limit the memory: %w", err)
		}
	}
	if l.CPU > 0 {
		if err := setLimit(syscall.RLIMIT_CPU, uint64(l.CPU.Seconds())+1, false); err != nil {
			return fmt.Errorf("limit the CPU time: %w", err)
		}
	}
	return nil
}

// LiftCPU ends the limit of CPU time: what is left to do takes as long as whoever asked takes the answer.
func LiftCPU() error {
	if err := setLimit(syscall.RLIMIT_CPU, ^uint64(0), false); err != nil {
		return fmt.Errorf("lift the limit of CPU time: %w", err)
	}
	return nil
}

// setLimit sets a limit, or leaves it where it is lower already; a hard one cannot be lifted again.
func setLimit(resource int, most uint64, hard bool) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	now.Cur = min(now.Max, most)
	if hard {
		now.Max = now.Cur
	}
	return syscall.Setrlimit(resource, &now)
}
