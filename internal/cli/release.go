package cli

import "runtime/debug"

// stamped is the version that a release was built as, which the linker puts in: it is built outside of any repository.
var stamped string

// buildVersion is the version that the program was built as.
func buildVersion() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}
