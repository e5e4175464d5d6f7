package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lookEvery is the precision of times and sizes that are observed from outside.
const lookEvery = 50 * time.Millisecond

// watchedRun is a run, with what was observed in its directory.
type watchedRun struct {
	syncRun
	publishes   []publishCost
	after, most int64 // bytes on disk: at the end, and at most
}

// publishCost is the cost of one publish: from the first byte of the copy until readers have the new file.
type publishCost struct {
	wall time.Duration
	cpu  float64 // seconds of the process, including other work meanwhile
}

// dirWatcher observes the directory of a warehouse.
type dirWatcher struct {
	dir, link string
	seen      watchedRun
	copying   time.Time // zero: no publish is in progress
	cpu       float64   // of the process when the publish began
}

// watchDir watches the directory of a warehouse until stop is called with the finished run, and then returns what it observed.
func watchDir(dir string) (stop func(syncRun) watchedRun) {
	l := &dirWatcher{dir: dir}
	l.link, _ = os.Readlink(filepath.Join(dir, "warehouse.duckdb")) // there is no link before the first publish
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			l.lookOnce(0)
			select {
			case <-end:
				return
			case <-tick.C:
			}
		}
	}()
	return func(s syncRun) watchedRun {
		close(end)
		<-ended
		l.lookOnce(s.cost.cpu)
		l.seen.syncRun = s
		return l.seen
	}
}

// lookOnce looks once. cpu is the CPU time of the ended run, 0 while it goes on.
func (l *dirWatcher) lookOnce(cpu float64) {
	l.seen.after = onDisk(l.dir)
	l.seen.most = max(l.seen.most, l.seen.after)
	state := filepath.Join(l.dir, ".aqueduck")
	var running struct {
		Run string
		PID int
	}
	if text, err := os.ReadFile(filepath.Join(state, "run.json")); cpu == 0 && err == nil && json.Unmarshal(text, &running) == nil {
		cpu = processCPUTime(running.PID)
	}
	if fresh, err := filepath.Glob(filepath.Join(state, "new-"+running.Run+"*")); err == nil && len(fresh) > 0 && running.Run != "" && l.copying.IsZero() {
		l.copying, l.cpu = time.Now(), cpu
	}
	if now, err := os.Readlink(filepath.Join(l.dir, "warehouse.duckdb")); err == nil && now != l.link && !l.copying.IsZero() && cpu > 0 { // the process may have ended already: its cost is known at the end
		l.seen.publishes = append(l.seen.publishes, publishCost{time.Since(l.copying), cpu - l.cpu})
		l.link, l.copying = now, time.Time{}
	}
}

// processCPUTime returns the CPU time of a process so far in seconds, 0 when there is none.
func processCPUTime(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const user, system, hertz = 11, 12, 100 // fields behind the name in brackets, and the kernel's clock ticks per second
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks [2]float64
	for i, field := range []int{user, system} {
		ticks[i], _ = strconv.ParseFloat(fields[field], 64) // digits from the kernel
	}
	return (ticks[0] + ticks[1]) / hertz
}

// onDisk returns how many bytes of disk a directory's files take. Files may disappear while it counts.
func onDisk(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			if s, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += s.Blocks * 512 // the unit of st_blocks
			}
		}
		return nil
	})
	return bytes
}
