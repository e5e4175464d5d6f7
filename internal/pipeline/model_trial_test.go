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

// planTrial is one plan in execution. It is a testing.TB that records failures instead of failing a test, because a failing plan is tried many
// times while it is shrunk.
type planTrial struct {
	testing.TB
	plan      *trialPlan
	common    *trialShared
	bed       *testBed
	life      *workspaceLife
	skew      time.Duration // of the machine's clock against the workspace's
	chaos     bool          // answers may be faults
	temper    string
	liar      *lyingProxy
	lies      string // wrong answers, by name and share
	replays   bool   // answers may be old ones
	log       io.Writer
	masked    bool // some columns are hashed or dropped
	owed      bool // the tables are right only after a full refresh
	secondRun bool // a second run without faults was needed
	cameBack  bool // a contact became active again, perhaps with an older time
	runs      int
	kept      string // the stream whose history is kept; "": none
	snapshots []historySnapshot

	failed  []string
	cleanup []func()
}

func (t *planTrial) Helper() {}

func (t *planTrial) Cleanup(f func()) { t.cleanup = append(t.cleanup, f) }

func (t *planTrial) Failed() bool { return len(t.failed) > 0 }

func (t *planTrial) Error(args ...any) {
	t.failed = append(t.failed, strings.TrimSpace(fmt.Sprintln(args...)))
}

func (t *planTrial) Errorf(form string, a ...any) {
	t.failed = append(t.failed, fmt.Sprintf(form, a...))
}

func (t *planTrial) FailNow() { runtime.Goexit() }

func (t *planTrial) Fatal(args ...any) { t.Error(args...); t.FailNow() }

func (t *planTrial) Fatalf(form string, a ...any) { t.Errorf(form, a...); t.FailNow() }

func (t *planTrial) Logf(form string, args ...any) {}

// memoryDir returns a directory in memory, where there is one with room: no trial cuts the power.
func memoryDir() string {
	const dir, room = "/dev/shm", 2 << 30
	var disk syscall.Statfs_t
	if syscall.Statfs(dir, &disk) != nil || disk.Bavail*uint64(disk.Bsize) < room {
		return ""
	}
	return dir
}

func (t *planTrial) TempDir() string {
	dir, err := os.MkdirTemp(memoryDir(), "model")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// runTrial executes a plan and returns its failures; none when everything is right.
func runTrial(tb testing.TB, p *trialPlan, c *trialShared, log io.Writer) *planTrial {
	t := &planTrial{TB: tb, plan: p, common: c, log: log}
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

func (t *planTrial) carryOut() {
	p := t.plan
	t.bed = t.newBed()
	if p.begun {
		t.prepareWarehouse()
	}
	if p.world {
		t.liar = &lyingProxy{t: t, space: t.bed.space}
		t.bed.front = t.liar
	}
	for _, o := range p.ops {
		t.applyOp(o)
		if t.Failed() {
			t.failed = append(t.failed, "after "+o.String())
			return
		}
	}
	t.checkConvergence()
}

// newBed is the plan's workspace at hour 0, with an empty warehouse.
func (t *planTrial) newBed() *testBed {
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
	b := newBedWith(t, c, fmt.Sprintf(modelConfig, strings.Join(p.streamNames(), ", "))).publishingAll()
	t.controlRunner(b)
	return b
}

// controlRunner makes what the runs of a bed do depend on the plan alone.
func (t *planTrial) controlRunner(b *testBed) {
	b.runner.Log = quietLog(t.log)
	b.runner.Parallel = 1
	b.runner.Now = func() time.Time { return b.space.CurrentTime().Add(t.skew) }
	b.runner.Wait = func(ctx context.Context, d time.Duration) error {
		whole := 500 * time.Millisecond // waits between two tries are random, between half of this and all of it
		for whole < d {
			whole *= 2
		}
		b.space.Advance(whole)
		return ctx.Err()
	}
	for _, s := range b.runner.Catalogue.Streams() {
		if s.Read.Page.Size > 0 {
			s.Read.Page.Size = min(s.Read.Page.Size, t.plan.page)
		}
	}
}

// prepareWarehouse gives the plan a warehouse that was synced at hour 0. Plans with the same population share it.
func (t *planTrial) prepareWarehouse() {
	from := t.common.baseWarehouse(fmt.Sprint(t.plan.streamNames(), t.plan.workspace, t.plan.contacts), func(to string) {
		b := t.newBed()
		t.common.alone.RLock()
		defer t.common.alone.RUnlock()
		b.syncOnce(runner.Options{})
		b.failOn(os.Rename(string(b.runner.Dir), to))
	})
	t.bed.failOn(copyDir(from, string(t.bed.runner.Dir)))
}

// copyDir copies the directory of a warehouse at this moment. A run rewrites run.json by the machine's clock, so its temporary file may disappear
// during the copy.
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

// applyOp executes one operation. An operation that fits no record, or that the workspace refuses, does nothing.
func (t *planTrial) applyOp(o planOp) {
	t.life = &workspaceLife{t: t, space: t.bed.space, dice: rand.New(rand.NewPCG(uint64(o.n), t.plan.seed))}
	switch o.do {
	case "wait":
		t.bed.space.Advance(time.Duration(o.n) * time.Second)
	case "clock":
		t.skew = time.Duration(o.n) * time.Second
	case "expire-cursors":
		t.bed.space.ExpireCursors()
	case "chaos":
		t.chaos, t.replays = o.with != "", strings.Contains(o.with, "age")
		t.bed.failOn(t.bed.space.SetChaos(o.with))
	case "knobs":
		t.temper = strings.Trim(o.with, "{}")
		t.turnKnobs(o.with)
	case "lies":
		t.lies = o.with
		t.liar.setLies(uint64(o.n)+t.plan.seed, o.with)
	case "configure":
		t.configure(o.with)
	case "restore":
		if id := t.life.pickContact("active"); id != "" {
			t.owed = true
			t.bed.failOn(t.bed.space.RestoreContact(id, time.Duration(o.n)*time.Minute, emulator.FieldChange{Field: "name", Value: "of a backup"}))
		}
	case "erase":
		t.eraseContact()
	case "run":
		t.executeRun(o)
	default:
		t.applyEvent(o.do)
	}
}

// applyEvent applies an event of the families, some seconds later.
func (t *planTrial) applyEvent(name string) {
	t.cameBack = t.cameBack || strings.HasPrefix(name, "contacts.un") || name == "live"
	t.bed.space.Advance(time.Duration(t.life.dice.IntN(90)) * time.Second)
	for _, f := range families {
		if e, ok := eventNamed(f.events(t.life), name); ok {
			_ = e.do()
			return
		}
	}
	t.Fatalf("nothing is called %q", name)
}

// turnKnobs changes the behaviour of the workspace: all knobs are reset, except the named ones.
func (t *planTrial) turnKnobs(knobs string) {
	t.bed.space.SetKnobs(func(k *emulator.Knobs) { *k = emulator.Knobs{} })
	if _, err := t.bed.space.RunOperation("set", json.RawMessage(knobs)); err != nil {
		t.Fatal(err)
	}
}

// eraseContact erases a contact on both sides: at the workspace, as the law demands, and by the operator's command.
func (t *planTrial) eraseContact() {
	id := t.life.pickContact("active")
	if id == "" || !t.plan.readsAny("contacts", "calls") {
		return
	}
	if t.bed.space.RequestDeletion(id) != nil || t.bed.space.EraseContact(id) != nil {
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

// checkConvergence ends all faults, brings the search index up to date, and requires that after at most two runs no row is lost, doubled or stale.
func (t *planTrial) checkConvergence() {
	t.skew, t.chaos = 0, false
	if t.liar != nil {
		t.liar.setLies(0, "")
	}
	t.bed.failOn(t.bed.space.SetChaos(""))
	t.turnKnobs("{}")
	t.bed.space.RunBetween(nil)
	if t.masked {
		t.configure("")
	}
	for _, id := range t.bed.space.CallIDs() {
		_ = t.bed.space.EndCall(id) // ended calls refuse, and stay ended
	}
	if t.needsSecondLook() {
		t.bed.space.Advance(41 * time.Hour) // longer than any lag, shorter than the lookback window
	} else {
		t.bed.space.Advance(100 * time.Hour) // longer than the lookback window, so that a lost row cannot be read again
	}
	for last := range 2 {
		// A workspace of five calls may lose all of them in these hours, which needs consent.
		r := &modelRun{accept: []string{"calls"}}
		if t.owed && last == 0 {
			r.refresh = 1
		}
		report, err := t.runProgram(t.Context(), r, nil)
		t.runs++
		if err != nil {
			t.Fatalf("clean run: %v", err)
		}
		if report.Exit() != problem.ExitOK || !report.HasShown() || len(report.Streams) < len(t.plan.streamNames()) {
			t.Fatalf("clean run: %s\n%+v\n%+v", report.LastLine(), report.Streams, report.Findings)
		}
		t.checkEqual()
		if !t.Failed() || last == 1 {
			break
		}
		t.failed, t.secondRun = nil, true
		t.bed.space.Advance(time.Hour)
	}
	t.oneInstant()
	if !t.Failed() {
		t.noteHistory()
		t.checkHistory()
	}
}

// needsSecondLook reports whether the workspace is one in which some changes show only in a second read.
func (t *planTrial) needsSecondLook() bool {
	return slices.ContainsFunc(t.plan.ops, func(o planOp) bool { return o.do == "knobs" || o.do == "chaos" && strings.Contains(o.with, "age") })
}

// checkEqual compares everything that is read with the oracle.
func (t *planTrial) checkEqual() {
	b, file := t.bed, t.bed.runner.Dir.Current()
	if t.plan.readsAny("contacts", "calls") {
		oracletest.CompareAll(t, b.space, file)
	}
	contacts := t.plan.readsAny("contacts", "calls")
	if !contacts && t.plan.readsAny("conversations") {
		oracletest.CompareConversations(t, b.space, file)
	}
	if !contacts && t.plan.readsAny("tickets") {
		oracletest.CompareTickets(t, b.space, file)
	}
	var tables []oracletest.Table
	if t.plan.readsAny("conversations") {
		tables = append(tables, oracletest.Table{Name: "deleted_conversations", Oracle: "deleted_conversations", Columns: []string{"id", "metrics_retained", "deleted_at"}})
	}
	if t.plan.readsAny("companies") {
		tables = append(tables, companyTables()[:3]...)
	}
	for _, c := range slices.Concat(listCases(), contentCases(), movingCases()[3:]) {
		if !slices.Contains(t.plan.streamNames(), c.stream) {
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
		oracletest.CompareTables(t, b.space, file, nil, tables...)
	}
}

// oneInstant checks that the file and the Parquet files are of the same publish.
func (t *planTrial) oneInstant() {
	var manifest struct{ File string }
	text, err := os.ReadFile(t.bed.runner.Dir.Lake("main") + "/_manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if target, linked := os.Readlink(t.bed.runner.Dir.Link()); err != nil || linked != nil || !strings.HasSuffix(target, "/"+manifest.File) {
		t.Errorf("the link leads to %q, the manifest names %q: %v, %v", target, manifest.File, err, linked)
	}
}
