package emulator

import (
	"net/http"
	"strconv"
	"strings"
)

// version is an API version (workspace-api 9).
type version struct{ major, minor int }

// The versions that changed what is built here. The later one has no name in the document: what comes after 2.16 is it.
var (
	v214        = version{2, 14}
	v216        = version{2, 16}
	afterStable = version{2, 17}
)

// atLeast says whether a version is this one or a newer one.
func (v version) atLeast(other version) bool {
	return v.major > other.major || v.major == other.major && v.minor >= other.minor
}

// later says whether the changes of the later version hold (workspace-api 9).
func (v version) later() bool { return v.atLeast(afterStable) }

// version is the one that a request asks for, or the workspace's own when it names none (workspace-api 9.1).
func (w *server) version(r *http.Request) (version, bool) {
	text := r.Header.Get(w.opts.VersionHeader)
	if text == "" {
		text = w.opts.DefaultVersion
	}
	if w.k().IgnoreVersion != "" {
		text = w.k().IgnoreVersion
	}
	return readVersion(text)
}

func readVersion(text string) (v version, ok bool) {
	before, after, _ := strings.Cut(text, ".")
	major, none := strconv.ParseUint(before, 10, 31)
	minor, neither := strconv.ParseUint(after, 10, 31)
	return version{int(major), int(minor)}, none == nil && neither == nil
}

// has says whether a version has what came with another one. What 2.14 added is not there before; of what the later version added the document
// does not say so, and the knob decides.
func (w *server) has(v, since version) bool {
	return v.atLeast(since) || since == afterStable && !w.k().LaterOnly
}
