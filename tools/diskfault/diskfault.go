// Package diskfault runs a process and sees every system call on files below one directory, those of Go and of C++.
// It can answer a call with an error in the kernel's place, and it keeps what was written.
package diskfault

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrUnsupported means that system calls cannot be intercepted here.
var ErrUnsupported = errors.New("system calls cannot be watched here")

// Call is one system call on a file below the watched directory.
type Call struct {
	Name   string // name of the system call
	Path   string // absolute path of its file
	To     string // new name of a rename, or target of a symbolic link
	Flags  int    // flags of an open
	Mode   uint32 // mode of a new file or directory
	Offset int64  // offset of a completed write
	Size   int64  // of a write: the requested, then the written bytes; of a truncation: the new size
	Data   []byte // written bytes
	Made   bool   // the open created the file
	Copies bool   // the kernel was asked to copy from another file; the caller can fall back to other calls
	Errno  syscall.Errno
}

// Opens reports whether the call opens a file.
func (c Call) Opens() bool { return c.Name == "open" }

// Reads reports whether the call changes nothing.
func (c Call) Reads() bool {
	return c.Name == "read" || c.Opens() && c.Flags&(syscall.O_WRONLY|syscall.O_RDWR|syscall.O_CREAT|syscall.O_TRUNC) == 0
}

// String returns the call and its file.
func (c Call) String() string {
	text := c.Name + " " + c.Path
	if c.To != "" {
		text += " " + c.To
	}
	return text
}

// Fault is what happens instead of a call.
type Fault struct {
	Errno syscall.Errno // the call is not made and returns this; 0: it is made
	Short bool          // a write writes half of its bytes
}

// Watch says what is watched, and how to react.
type Watch struct {
	Dir   string           // absolute, without symbolic links
	Reads bool             // reading calls are watched too
	Fault func(Call) Fault // called before each call; nil: none fails
	After func(Call) error // called after each call that was made; may be nil
	Out   *os.File         // stdout and stderr of the process
	Env   []string         // the whole environment
}

// isWatched reports whether a path is the watched directory or below it.
func (w Watch) isWatched(path string) bool {
	return path == w.Dir || strings.HasPrefix(path, w.Dir+string(filepath.Separator))
}
