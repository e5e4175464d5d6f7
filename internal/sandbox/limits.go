package sandbox

import (
	"fmt"
	"syscall"
	"time"
)

// Limits bound the resources of a task.
type Limits struct {
	Memory int64         // bytes of the data segment (RLIMIT_DATA); 0: no limit. Systems other than Linux may not enforce it
	CPU    time.Duration // of all threads together, until LiftCPU is called; 0: no limit
}

// applyLimits limits this process. It cannot raise the memory limit afterwards.
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

// LiftCPU removes the limit of CPU time. A task calls it when only sending the answer is left, which takes as long as the
// receiver takes.
func LiftCPU() error {
	if err := setLimit(syscall.RLIMIT_CPU, ^uint64(0), false); err != nil {
		return fmt.Errorf("lift the limit of CPU time: %w", err)
	}
	return nil
}

// setLimit lowers a limit; a hard one cannot be raised again.
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
