package cli

import "runtime/debug"

// stamped is the version of a release. The linker sets it, because a release is built outside of a repository.
var stamped string

// buildVersion returns the version of the program.
func buildVersion() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}
