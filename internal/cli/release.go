package cli

import (
	"runtime/debug"

	"aqueduck"
)

// stampedCommit is the commit of a release. The linker sets it, because a release is built outside of a repository.
var stampedCommit string

// commitDigits is how much of a commit's id is shown: what the Go tool shows in versions.
const commitDigits = 12

// buildCommit returns the commit that the program was built from, with "-dirty" after it when files had changed. It is empty when nobody
// noted the commit.
func buildCommit() string {
	commit, dirty := stampedCommit, ""
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "-dirty"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit[:min(commitDigits, len(commit))] + dirty
}

// buildVersion returns the version of the program with its commit, as semantic versions have it: 1.0.0+0123456789ab.
func buildVersion() string {
	if commit := buildCommit(); commit != "" {
		return aqueduck.Version() + "+" + commit
	}
	return aqueduck.Version()
}
