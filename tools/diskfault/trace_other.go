//go:build !linux || !amd64

package diskfault

import "syscall"

// Launch does nothing on this platform.
func Launch() {}

// Run returns ErrUnsupported on this platform.
func Run(Watch, ...string) (syscall.WaitStatus, error) { return 0, ErrUnsupported }
