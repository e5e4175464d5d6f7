package cli

import "syscall"

// Harden disables core dumps, which could contain the token, and the permission of others to write new files.
func Harden() {
	// Lowering a limit is always allowed, so this cannot fail.
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	syscall.Umask(syscall.Umask(0o077) | 0o022)
}
