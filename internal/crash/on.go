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

// passed counts how often the wanted place was reached; it exists only in binaries made for crash tests.
var passed atomic.Int64

// watcher is who is told of every place.
var watcher atomic.Pointer[func(name string)]

// Named says whether places can be named in this program.
const Named = true

// Watch has f told of every place that is reached, in the goroutine that reaches it; nil ends that. A test keeps what is on
// disk then: what a process would leave that died there.
func Watch(f func(name string)) {
	if f == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&f)
}

// At kills the process when AQUEDUCK_CRASH is "name:n" and this is the n-th time that name is reached; with "name:n:3ms" so much
// later, whatever it does then. With "name:n:hold" it says so and stays there instead, until a signal ends it.
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
