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

// lookEvery is how exact the times and sizes are that are seen from outside.
const lookEvery = 50 * time.Millisecond

// watchedRun is a run, and what could be seen of it in its directory.
type watchedRun struct {
	syncRun
	publishes   []publishCost
	after, most int64 // bytes on disk: at the end, and at any time
}

// publishCost is one of a run: from the first byte of the copy until readers have it.
type publishCost struct {
	wall time.Duration
	cpu  float64 // seconds of the process, whatever else it does meanwhile
}

// dirWatcher is the eye on a warehouse's directory.
type dirWatcher struct {
	dir, link string
	seen      watchedRun
	copying   time.Time // zero: no publish is under way
	cpu       float64   // of the process when the publish began
}

// watchDir watches the directory of a warehouse until it is told to stop, with what the run cost, and then says what it saw.
func watchDir(dir string) (stop func(syncRun) watchedRun) {
	l := &dirWatcher{dir: dir}
	l.link, _ = os.Readlink(filepath.Join(dir, "warehouse.duckdb")) // none yet
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

// lookOnce looks one time. cpu is what the run used in all, 0 while it goes on.
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
	if now, err := os.Readlink(filepath.Join(l.dir, "warehouse.duckdb")); err == nil && now != l.link && !l.copying.IsZero() && cpu > 0 { // the process may have ended meanwhile: then what it cost is known soon
		l.seen.publishes = append(l.seen.publishes, publishCost{time.Since(l.copying), cpu - l.cpu})
		l.link, l.copying = now, time.Time{}
	}
}

// processCPUTime is the CPU time that a process has used so far, 0 when there is none.
func processCPUTime(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const user, system, hertz = 11, 12, 100 // fields after the name in brackets, and the kernel's unit for them
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks [2]float64
	for i, field := range []int{user, system} {
		ticks[i], _ = strconv.ParseFloat(fields[field], 64) // the kernel's own digits
	}
	return (ticks[0] + ticks[1]) / hertz
}

// onDisk is how many bytes of disk a directory's files take. Some go while it counts.
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
