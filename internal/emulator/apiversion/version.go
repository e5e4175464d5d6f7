package apiversion

import (
	"strconv"
	"strings"
)

// V215 is the version that some public descriptions name; others name 2.16.
var V215 = Version{2, 15}

// Version is an API version (workspace-api 9).
type Version struct{ major, minor int }

// The versions that changed something in the emulator. The document does not name the later one: every version after 2.16 counts as it.
var (
	V214        = Version{2, 14}
	V216        = Version{2, 16}
	AfterStable = Version{2, 17}
)

// AtLeast reports whether a version is the other one or newer.
func (v Version) AtLeast(other Version) bool {
	return v.major > other.major || v.major == other.major && v.minor >= other.minor
}

// HasLaterChanges reports whether the changes of the later version apply (workspace-api 9).
func (v Version) HasLaterChanges() bool { return v.AtLeast(AfterStable) }

// Parse reads a version such as 2.14.
func Parse(text string) (v Version, ok bool) {
	before, after, _ := strings.Cut(text, ".")
	major, none := strconv.ParseUint(before, 10, 31)
	minor, neither := strconv.ParseUint(after, 10, 31)
	return Version{int(major), int(minor)}, none == nil && neither == nil
}
