//go:build !linux || !amd64

package diskfault

import "syscall"

// Launch does nothing here.
func Launch() {}

// Run cannot watch anything here.
func Run(Watch, ...string) (syscall.WaitStatus, error) { return 0, ErrUnsupported }
