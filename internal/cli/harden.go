package cli

import "syscall"

// Harden keeps to the program what is its own, whatever it was started by: a crash leaves no core, which would have the token in
// it, and no file is made that others may write.
func Harden() {
	// Less may always be asked for: there is no error to tell of.
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	syscall.Umask(syscall.Umask(0o077) | 0o022)
}
