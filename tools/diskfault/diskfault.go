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

// ErrUnsupported is the answer where processes cannot be watched like that.
var ErrUnsupported = errors.New("system calls cannot be watched here")

// Call is one system call on a file below the watched directory.
type Call struct {
	Name   string // of the system call
	Path   string // absolute, of what it is about
	To     string // the new name of a rename, or what a symbolic link says
	Flags  int    // of an open
	Mode   uint32 // of what is made
	Offset int64  // of a write that happened
	Size   int64  // of a write: what was asked for, then what was written; of a truncation: the new size
	Data   []byte // what a write wrote
	Made   bool   // an open made the file
	Copies bool   // the kernel was asked to copy from another file; who asked can do that by other calls
	Errno  syscall.Errno
}

// Opens says whether the call opens a file.
func (c Call) Opens() bool { return c.Name == "open" }

// Reads says whether the call changes nothing.
func (c Call) Reads() bool {
	return c.Name == "read" || c.Opens() && c.Flags&(syscall.O_WRONLY|syscall.O_RDWR|syscall.O_CREAT|syscall.O_TRUNC) == 0
}

// String names the call and its file.
func (c Call) String() string {
	text := c.Name + " " + c.Path
	if c.To != "" {
		text += " " + c.To
	}
	return text
}

// Fault is what happens instead of a call.
type Fault struct {
	Errno syscall.Errno // the call is not made and gives this; 0: it is made
	Short bool          // a write writes half of what it was asked for
}

// Watch says what is watched and what is done about it.
type Watch struct {
	Dir   string           // absolute, without symbolic links
	Reads bool             // reading calls are watched too
	Fault func(Call) Fault // asked before each call; nil: none fails
	After func(Call) error // told of each call that was made; nil: nobody is
	Out   *os.File         // stdout and stderr of the process
	Env   []string         // whole
}

// isWatched says whether a path is the watched directory or below it.
func (w Watch) isWatched(path string) bool {
	return path == w.Dir || strings.HasPrefix(path, w.Dir+string(filepath.Separator))
}
