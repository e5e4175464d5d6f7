package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
)

// inMonth is in the environment of the process that serves for a month: its disk is full for a night, and its resources are measured.
const inMonth = "AQUEDUCK_MONTH"

// serveMonth runs `serve` until 31 March, from the first or from the 18th.
type serveMonth struct {
	*serveHost
	dir     layout.Dir
	first   int // its first day
	off     int // the day on which the machine is switched off for two nights; it comes back at noon
	nights  map[int]nightFault
	measure int           // the day on which it is measured first
	early   resourceUsage // what it held then
	late    resourceUsage // at the end
}

// nightFault is the fault of one night.
type nightFault struct {
	begin  func(m *serveMonth, night time.Time)
	ran    string   // how its runs end
	alerts []string // that somebody has to look at, and the next night's
}

const (
	healed = "02:30 FAILED 1\n02:45 FAILED 2\n03:30 OK 3\n"
	well   = "02:30 OK 1\n"
)

// monthFaults are the faults of a month, in order.
func monthFaults() []nightFault {
	away := func(d time.Duration, paths ...string) func(*serveMonth, time.Time) {
		return func(m *serveMonth, night time.Time) { m.failRequests(night, night.Add(d), paths...) }
	}
	fails := func(at, class string) []string {
		return []string{at + " /ping/fail", at + " /hook failure " + class, "01:30 /hook recovery"}
	}
	return []nightFault{
		{away(40 * time.Minute), healed, nil},
		{func(m *serveMonth, _ time.Time) { m.before = refuseSomeRequests() }, well, nil},
		{func(m *serveMonth, _ time.Time) { m.space.RotateToken("another") }, "02:30 FAILED 1\n", fails("01:30", "auth")},
		{func(m *serveMonth, _ time.Time) { m.diskOf(1 << 20) }, "02:30 FAILED 1\n", fails("01:30", "disk")},
		{away(8 * time.Hour), "02:30 FAILED 1\n02:45 FAILED 2\n03:30 FAILED 3\n05:30 FAILED 4\n", fails("04:30", "transient")},
		{away(40*time.Minute, "/contacts/deleted"), healed, nil},
	}
}

// newMonth plans the faults for their days; two weeks are enough for all of them.
func newMonth(t *testing.T) *serveMonth {
	t.Helper()
	m := &serveMonth{first: 18, measure: 22, off: 29, nights: map[int]nightFault{}}
	days := []int{20, 21, 22, 24, 26, 28}
	if os.Getenv("AQUEDUCK_LONG") != "" {
		m.first, m.measure, m.off = 1, 6, 26
		days = []int{4, 8, 13, 17, 20, 24}
	}
	for i, trouble := range monthFaults() {
		m.nights[days[i]] = trouble
	}
	m.serveHost = newHost(t, date2026(time.March, m.first, 13, 0), strings.Replace(alerted, "[contacts, deleted_contacts]", "[contacts, deleted_contacts, contact_activities]", 1))
	m.dir = layout.Dir(filepath.Join(m.home, "data"))
	m.noon = m.passNoon
	return m
}

// resourceUsage has the bytes of Go's heap in use, the open files and the goroutines of this process.
type resourceUsage struct{ heap, files, goroutines int }

// TestF17AMonthOfServeWithFaultsMissesNoNight: each night has one run at a time. A transient failure is retried in the same night,
// another one is repeated in the next, and then all data is right. The process uses no more after thirty nights than after five, and the
// warehouse is unlocked while nothing runs.
func TestF17AMonthOfServeWithFaultsMissesNoNight(t *testing.T) {
	lane.SkipHeavy(t)
	if os.Getenv(inMonth) == "" {
		t.Parallel()
		if testing.Short() {
			t.Skip("make test-all runs it")
		}
		livesInItsOwnProcess(t)
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	m := newMonth(t)
	came := m.collectAlerts()
	m.serveUntil(date2026(time.March, m.off, 12, 0))
	m.space.Advance(m.restartTime().Sub(m.clockTime()))
	m.serveUntil(date2026(time.March, 31, 12, 0))
	m.checkRunOutcomes()
	m.checkAlerts(*came)
	t.Logf("after some nights the process held %+v, at the end %+v", m.early, m.late)
	if m.late.heap > m.early.heap+most || m.late.files > m.early.files+2 || m.late.goroutines > m.early.goroutines+2 {
		t.Error("that is more")
	}
}

// most is the number of bytes by which the heap may grow; a hundred kilobytes a night would exceed it.
const most = 1 << 20

// passNoon is noon: nothing runs, hours are simulated, the last fault ends and that of the next night begins.
func (m *serveMonth) passNoon() {
	defer func() {
		if m.t.Failed() {
			m.cancel() // which ends the test, too
		}
	}()
	day := m.clockTime().Day()
	free, err := layout.Lock(m.t.Context(), m.dir, 0, nil)
	if err != nil {
		m.t.Fatalf("on %d March at noon: %v", day, err)
	}
	if err := free.Release(); err != nil {
		m.t.Fatal(err)
	}
	if m.nights[day].alerts == nil { // what did not heal by itself the next night heals
		oracletest.CompareAll(m.t, m.space, m.dir.Current())
	}
	switch day {
	case m.measure:
		m.early = m.measureResources()
	case 31:
		m.late = m.measureResources()
	}
	m.before = nil
	m.diskOf(1 << 40)
	m.space.RotateToken(m.token)
	m.space.SimulateHours(3)
	if trouble, ok := m.nights[day+1]; ok {
		trouble.begin(m, date2026(time.March, day+1, 1, 30))
	}
}

// refuseSomeRequests answers two of three requests for a path with 429, or with a truncated answer.
func refuseSomeRequests() func(http.ResponseWriter, *http.Request) bool {
	var mu sync.Mutex // guards asked
	asked := map[string]int{}
	return func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		switch asked[r.URL.Path] % 3 {
		case 1:
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, `{"type":"list","data":[`) // the rest never comes
		default:
			return false
		}
		return true
	}
}

// diskOf limits the size of files.
func (m *serveMonth) diskOf(most uint64) {
	m.t.Helper()
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit)
	if err == nil {
		limit.Cur = min(most, limit.Max)
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// checkRunOutcomes compares how the runs of each night ended.
func (m *serveMonth) checkRunOutcomes() {
	m.t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		m.t.Fatal(err)
	}
	runs, err := runlog.PastRuns(m.t.Context(), m.dir, "nightly", 500)
	if err != nil {
		m.t.Fatal(err)
	}
	got, before := map[int]string{}, time.Time{}
	for i := len(runs) - 1; i >= 0; i-- {
		r := runs[i]
		if r.Started.Before(before) {
			m.t.Errorf("run %s began at %s, while another ran", r.Run, r.Started)
		}
		before = r.Finished
		day := r.Started.In(zone).Day()
		got[day] += fmt.Sprintf("%s %s %d\n", r.Started.In(zone).Format("15:04"), r.Outcome, r.Try)
	}
	want := map[int]string{}
	for day := m.first + 1; day <= 31; day++ {
		trouble, troubled := m.nights[day]
		switch {
		case troubled:
			want[day] = trouble.ran
		case day == m.off+1: // nobody was there
		case day == m.off+2:
			want[day] = m.restartTime().In(zone).Format("15:04") + " OK 1\n"
		case day == 29: // the clocks go from two to three
			want[day] = "03:00 OK 1\n"
		default:
			want[day] = well
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Errorf("the runs of each day (-want +got):\n%s", diff)
	}
}

// restartTime is when the machine starts again.
func (m *serveMonth) restartTime() time.Time { return date2026(time.March, m.off+2, 9, 0) }

// checkAlerts compares the alerts, without pings of starts and successes.
func (m *serveMonth) checkAlerts(came []string) {
	m.t.Helper()
	var got, want []string
	for _, c := range came {
		if !strings.HasSuffix(c, "/ping/start") && !strings.HasSuffix(c, "/ping") {
			got = append(got, c)
		}
	}
	for day := m.first; day <= 31; day++ {
		for i, alert := range m.nights[day].alerts {
			want = append(want, fmt.Sprintf("%02d %s", day+i/2, alert))
		}
	}
	m.requireEqual("alerts", got, want...)
}

func (m *serveMonth) measureResources() (h resourceUsage) {
	m.t.Helper()
	runtime.GC()
	runtime.GC() // what finalizers gave free
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		m.t.Fatal(err)
	}
	return resourceUsage{int(stats.HeapAlloc), len(files), runtime.NumGoroutine()}
}

// livesInItsOwnProcess runs the test in a separate process.
func livesInItsOwnProcess(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), inMonth+"=1")
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
