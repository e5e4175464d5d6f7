package apiversion

import (
	"strconv"
	"strings"
)

// The lists that the document does not name and that the public descriptions of such an API have: what is in them is a function
// of the hours lived. At hour 2 a macro changes, at hour 3 a brand comes, at hour 4 a snippet goes, at hour 5 an attribute is
// archived.

// V215 is the version that public descriptions name for some of them; 2.16 for others.
var V215 = Version{2, 15}

// Version is an API version (workspace-api 9).
type Version struct{ major, minor int }

// The versions that changed what is built here. The later one has no name in the document: what comes after 2.16 is it.
var (
	V214        = Version{2, 14}
	V216        = Version{2, 16}
	AfterStable = Version{2, 17}
)

// AtLeast says whether a version is this one or a newer one.
func (v Version) AtLeast(other Version) bool {
	return v.major > other.major || v.major == other.major && v.minor >= other.minor
}

// HasLaterChanges says whether the changes of the later version hold (workspace-api 9).
func (v Version) HasLaterChanges() bool { return v.AtLeast(AfterStable) }

// Parse reads a version, as 2.14.
func Parse(text string) (v Version, ok bool) {
	before, after, _ := strings.Cut(text, ".")
	major, none := strconv.ParseUint(before, 10, 31)
	minor, neither := strconv.ParseUint(after, 10, 31)
	return Version{int(major), int(minor)}, none == nil && neither == nil
}
