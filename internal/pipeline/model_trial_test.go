package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/load/failure"
)

// trial is one plan on its way. It is a testing.TB that keeps what fails instead of failing a test: a plan that fails is
// tried again and again with less in it.
type trial struct {
	testing.TB
	plan    *trialPlan
	common  *common
	bed     *bed
	life    *life
	skew    time.Duration // of the machine's clock
	chaos   bool          // answers may be faults
	temper  string
	liar    *liar
	lies    string // that are told
	replays bool   // and old ones
	log     io.Writer
	again   bool // the second clean run was needed
	came    bool // somebody came back from being archived or blocked, perhaps with an older time
	runs    int

	failed  []string
	cleanup []func()
}

func (t *trial) Helper() {}

func (t *trial) Cleanup(f func()) { t.cleanup = append(t.cleanup, f) }

func (t *trial) Failed() bool { return len(t.failed) > 0 }

func (t *trial) Error(args ...any) {
	t.failed = append(t.failed, strings.TrimSpace(fmt.Sprintln(args...)))
}

func (t *trial) Errorf(form string, a ...any) { t.failed = append(t.failed, fmt.Sprintf(form, a...)) }

func (t *trial) FailNow() { runtime.Goexit() }

func (t *trial) Fatal(args ...any) { t.Error(args...); t.FailNow() }

func (t *trial) Fatalf(form string, a ...any) { t.Errorf(form, a...); t.FailNow() }

func (t *trial) Logf(form string, args ...any) {}

// memory is a directory whose files are in memory, where there is one with room: nobody pulls the plug here.
func memory() string {
	const dir, room = "/dev/shm", 2 << 30
	var disk syscall.Statfs_t
	if syscall.Statfs(dir, &disk) != nil || disk.Bavail*uint64(disk.Bsize) < room {
		return ""
	}
	return dir
}

func (t *trial) TempDir() string {
	dir, err := os.MkdirTemp(memory(), "model")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// try carries out a plan and gives what failed; nothing when all is as it should be.
func try(tb testing.TB, p *trialPlan, c *common, log io.Writer) *trial {
	t := &trial{TB: tb, plan: p, common: c, log: log}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(t.cleanup) {
				f()
			}
		}()
		t.carryOut()
	}()
	<-done
	return t
}

const modelConfig = `version: 1
warehouse: {dir: data, publish: {every: 5m, keep: 1, max_loss: "100%%"}}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  nightly: {streams: [%s]}
`

func (t *trial) carryOut() {
	p := t.plan
	t.bed = t.newBed()
	if p.begun {
		t.begin()
	}
	if p.world {
		t.liar = &liar{t: t, space: t.bed.space}
		t.bed.front = t.liar
	}
	for _, o := range p.ops {
		t.do(o)
		if t.Failed() {
			t.failed = append(t.failed, "after "+o.String())
			return
		}
	}
	t.settle()
}

// newBed is the plan's workspace at hour 0, with an empty warehouse.
func (t *trial) newBed() *bed {
	p := t.plan
	c := emulator.Config{Seed: p.workspace, Contacts: p.contacts, Inactive: 1 + p.contacts/3, Activities: 2 * p.contacts,
		Conversations: -1, Tickets: -1, Calls: 1, Logs: 1}
	if p.readsAny("conversations", "calls") {
		c.Conversations, c.Calls = 1+p.contacts/3, 1+p.contacts/4
	}
	if p.readsAny("tickets") {
		c.Tickets = 1 + p.contacts/3
	}
	if p.readsAny("logs") {
		c.Logs = 2 * p.contacts
	}
	b := newBedWith(t, c, fmt.Sprintf(modelConfig, strings.Join(p.streams(), ", "))).publishingAll()
	b.runner.Log = quietLog(t.log)
	b.runner.Parallel = 1 // what happens is a function of the plan
	b.runner.Now = func() time.Time { return b.space.Clock().Add(t.skew) }
	b.runner.Wait = func(ctx context.Context, d time.Duration) error {
		whole := 500 * time.Millisecond // waits between two tries are drawn by a chance of their own, between the half and the whole
		for whole < d {
			whole *= 2
		}
		b.space.Advance(whole)
		return ctx.Err()
	}
	for _, s := range b.runner.Catalogue.Streams() {
		if s.Read.Page.Size > 0 {
			s.Read.Page.Size = min(s.Read.Page.Size, p.page)
		}
	}
	return b
}

// begin gives the plan a warehouse that has read its workspace at hour 0: another bed of the same population did, once for all.
func (t *trial) begin() {
	from := t.common.begun(fmt.Sprint(t.plan.streams(), t.plan.workspace, t.plan.contacts), func(to string) {
		b := t.newBed()
		t.common.alone.RLock()
		defer t.common.alone.RUnlock()
		b.sync(runner.Options{})
		b.must(os.Rename(string(b.runner.Dir), to))
	})
	t.bed.must(copyDir(from, string(t.bed.runner.Dir)))
}

// copyDir copies the directory of a warehouse as it is at this instant. A run rewrites run.json by the machine's clock, so what it
// writes it into first may go while it is copied.
func copyDir(from, to string) error {
	out, err := exec.Command("cp", "-a", from, to).CombinedOutput()
	if err != nil && len(out) == 0 {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "/.run.json") {
			return fmt.Errorf("copy %s: %w: %s", from, err, out)
		}
	}
	return nil
}

// do carries out one thing. What nobody fits, or the workspace refuses, does not happen.
func (t *trial) do(o op) {
	t.life = &life{t: t, space: t.bed.space, dice: rand.New(rand.NewPCG(uint64(o.n), t.plan.seed))}
	switch o.do {
	case "wait":
		t.bed.space.Advance(time.Duration(o.n) * time.Second)
	case "clock":
		t.skew = time.Duration(o.n) * time.Second
	case "expire-cursors":
		t.bed.space.ExpireCursors()
	case "chaos":
		t.chaos, t.replays = o.with != "", strings.Contains(o.with, "age")
		t.bed.must(t.bed.space.SetChaos(o.with))
	case "knobs":
		t.temper = strings.Trim(o.with, "{}")
		t.turn(o.with)
	case "lies":
		t.lies = o.with
		t.liar.say(uint64(o.n)+t.plan.seed, o.with)
	case "erase":
		t.erase()
	case "run":
		t.run(o)
	default:
		t.happens(o.do)
	}
}

// happens lets an event of the families happen, some seconds later.
func (t *trial) happens(name string) {
	t.came = t.came || strings.HasPrefix(name, "contacts.un") || name == "live"
	t.bed.space.Advance(time.Duration(t.life.dice.IntN(90)) * time.Second)
	for _, f := range families {
		if e, ok := named(f.events(t.life), name); ok {
			_ = e.do()
			return
		}
	}
	t.Fatalf("nothing is called %q", name)
}

// turn makes the workspace one of another temper: all knobs are as they were, but for those named.
func (t *trial) turn(knobs string) {
	t.bed.space.SetKnobs(func(k *emulator.Knobs) { *k = emulator.Knobs{} })
	if _, err := t.bed.space.Do("set", json.RawMessage(knobs)); err != nil {
		t.Fatal(err)
	}
}

// erase has somebody forgotten on both sides: at the workspace, as the law asks it to, and by the operator's own command.
func (t *trial) erase() {
	id := t.life.someone("active")
	if id == "" || !t.plan.readsAny("contacts", "calls") {
		return
	}
	if t.bed.space.RequestDeletion(id) != nil || t.bed.space.Erase(id) != nil {
		return
	}
	yes := func([]admin.Erased) (bool, error) { return true, nil }
	t.common.alone.RLock()
	defer t.common.alone.RUnlock()
	_, err := admin.Erase(t.Context(), t.bed.runner, id, yes)
	var problem *problem.Problem
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) && !(errors.As(err, &problem) && problem.Class == "usage") {
		t.Errorf("erase: %s: %v", id, err)
	}
}

// settle ends all faults and lets the search find everything. Two runs later at the most nothing may be lost, doubled or stale.
func (t *trial) settle() {
	t.skew, t.chaos = 0, false
	if t.liar != nil {
		t.liar.say(0, "")
	}
	t.bed.must(t.bed.space.SetChaos(""))
	t.turn("{}")
	t.bed.space.Between(nil)
	for _, id := range t.bed.space.CallIDs() {
		_ = t.bed.space.EndCall(id) // those that have ended stay so
	}
	if t.heals() {
		t.bed.space.Advance(41 * time.Hour) // longer than any lag, shorter than the overlap
	} else {
		t.bed.space.Advance(100 * time.Hour) // what a run has lost no overlap brings back
	}
	for last := range 2 {
		report, err := t.sync(t.Context(), &modelRun{}, nil)
		t.runs++
		if err != nil {
			t.Fatalf("clean run: %v", err)
		}
		if report.Exit() != problem.ExitOK || !report.Published || len(report.Streams) < len(t.plan.streams()) {
			t.Fatalf("clean run: %s\n%+v\n%+v", report.LastLine(), report.Streams, report.Findings)
		}
		t.equal()
		if !t.Failed() || last == 1 {
			break
		}
		t.failed, t.again = nil, true
		t.bed.space.Advance(time.Hour)
	}
	t.oneInstant()
}

// heals says that the workspace was one whose readers see some things only when they look again.
func (t *trial) heals() bool {
	return slices.ContainsFunc(t.plan.ops, func(o op) bool { return o.do == "knobs" || o.do == "chaos" && strings.Contains(o.with, "age") })
}

// equal compares everything that is read with what a perfect reader would hold.
func (t *trial) equal() {
	b, file := t.bed, t.bed.runner.Dir.Current()
	if t.plan.readsAny("contacts", "calls") {
		oracletest.Equal(t, b.space, file)
	}
	contacts := t.plan.readsAny("contacts", "calls")
	if !contacts && t.plan.readsAny("conversations") {
		oracletest.Conversations(t, b.space, file)
	}
	if !contacts && t.plan.readsAny("tickets") {
		oracletest.Tickets(t, b.space, file)
	}
	var tables []oracletest.Table
	if t.plan.readsAny("conversations") {
		tables = append(tables, oracletest.Table{Name: "deleted_conversations", Oracle: "deleted_conversations", Columns: []string{"id", "metrics_retained", "deleted_at"}})
	}
	if t.plan.readsAny("companies") {
		tables = append(tables, companyTables()[:3]...)
	}
	for _, c := range slices.Concat(listCases(), contentCases(), movingCases()[3:]) {
		if !slices.Contains(t.plan.streams(), c.stream) {
			continue
		}
		for _, table := range c.tables {
			if table.Oracle == "" {
				table.Oracle = c.stream
			}
			tables = append(tables, table)
		}
	}
	if len(tables) > 0 {
		oracletest.Holds(t, b.space, file, nil, tables...)
	}
}

// oneInstant: the file and the Parquet files are of the same publish.
func (t *trial) oneInstant() {
	var manifest struct{ File string }
	text, err := os.ReadFile(t.bed.runner.Dir.Lake("main") + "/_manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if target, linked := os.Readlink(t.bed.runner.Dir.Link()); err != nil || linked != nil || !strings.HasSuffix(target, "/"+manifest.File) {
		t.Errorf("the link leads to %q, the manifest names %q: %v, %v", target, manifest.File, err, linked)
	}
}
