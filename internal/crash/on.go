//go:build crashpoints

package crash

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// passed counts how often the wanted point was reached.
var passed atomic.Int64

// watcher is called at every point.
var watcher atomic.Pointer[func(name string)]

// Named reports whether this binary has crash points.
const Named = true

// Watch calls f at every point, in the goroutine that reaches it; nil ends that. A test copies the files on disk in f: a process
// that died there would leave them.
func Watch(f func(name string)) {
	if f == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&f)
}

// At kills the process when AQUEDUCK_CRASH is "name:n" and this is the n-th time that the point is reached. With "name:n:3ms" it
// kills that much later, whatever the process does then. With "name:n:hold" it prints a line and waits there until a signal ends
// the process.
func At(name string) {
	if f := watcher.Load(); f != nil {
		(*f)(name)
	}
	wanted, times, _ := strings.Cut(os.Getenv("AQUEDUCK_CRASH"), ":")
	if wanted != name {
		return
	}
	times, what, _ := strings.Cut(times, ":")
	n, err := strconv.ParseInt(times, 10, 64)
	if err != nil {
		n = 1
	}
	if passed.Add(1) != n {
		return
	}
	if later, err := time.ParseDuration(what); err == nil {
		time.AfterFunc(later, killProcess)
		return
	}
	if what == "hold" {
		fmt.Fprintf(os.Stderr, "holding at %s\n", name)
	} else {
		killProcess()
	}
	select {} // until the signal arrives
}

func killProcess() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
