package pipeline_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// worldSeeds is the number of seeds in every run of the tests; `make world` tries more.
var worldSeeds = lane.Cases(4, 8)

// TestF27WrongAnswersAreNoticedOrHarmless executes plans in which the workspace answers wrongly, in ways that no status shows, in addition to
// everything else that may happen. A run that ends with 0 has every table equal to the oracle. Otherwise at most two runs after the last wrong
// answer are needed. A failing plan is shrunk, and reported with the command that repeats it.
func TestF27WrongAnswersAreNoticedOrHarmless(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	tryPlans(t, "world", "worlds", envNumber("AQUEDUCK_SEEDS", worldSeeds), drawWorld)
}

// lyingFamilies are those whose changes are all visible: a run without a fault may be behind for the others.
var lyingFamilies = []string{"contacts", "contacts", "conversations", "conversations", "tickets", "content", "calls"}

// drawWorld draws the plan of a seed.
func drawWorld(seed uint64, runs int) *trialPlan {
	d := rand.New(rand.NewPCG(seed, 7))
	p := &trialPlan{seed: seed, world: true, begun: true, workspace: 1, contacts: 66, page: 4 + d.IntN(30), families: []string{lyingFamilies[d.IntN(len(lyingFamilies))]}}
	l := &workspaceLife{dice: d, space: nameless()}
	var events []lifeEvent
	for _, f := range families {
		if slices.Contains(p.families, f.name) {
			events = append(events, f.events(l)...)
		}
	}
	events = slices.DeleteFunc(events, func(e lifeEvent) bool { return isSilentEvent(e.name) })
	settings, refresh := "", false
	for range 1 + d.IntN(runs) {
		if settings, refresh = p.addConfigured(d, settings); p.readsAny("contacts", "calls") && d.IntN(8) == 0 {
			p.addOp("restore", 1+d.Int64N(10_000), "")
			refresh = true
		}
		for range 2 + d.IntN(8) {
			p.addOp(events[d.IntN(len(events))].name, d.Int64N(1000), "")
		}
		p.addWorldFaults(d)
		p.addWorldRun(d, refresh)
	}
	return p
}

// addWorldFaults adds what happens besides the events: time, a wrong clock, an erasure, a behaviour or a fault, and wrong answers.
func (p *trialPlan) addWorldFaults(d *rand.Rand) {
	p.addOp("wait", d.Int64N(100_000), "")
	switch d.IntN(12) {
	case 0:
		p.addOp("clock", []int64{-86400, -3600, 3600, 86400, 365 * 86400}[d.IntN(5)], "")
	case 1:
		p.addOp("clock", 0, "")
	case 2:
		p.addOp("erase", d.Int64N(1000), "")
	}
	switch d.IntN(6) {
	case 0:
		p.addOp("knobs", 0, honest[d.IntN(len(honest))])
	case 1:
		name, detail, _ := strings.Cut(mishaps[d.IntN(len(mishaps))], ":")
		p.addOp("chaos", 0, strings.TrimSuffix(fmt.Sprintf("%s=%v:%s", name, []float64{0.02, 0.1}[d.IntN(2)], detail), ":"))
	}
	var told []string
	all := lieKinds()
	for range 1 + d.IntN(3) {
		one := all[d.IntN(len(all))]
		told = append(told, one.name+"="+one.share[d.IntN(len(one.share))])
	}
	p.addOp("lies", d.Int64N(1000), strings.Join(told, ","))
}

// addWorldRun adds a run: how it ends, and which events happen between its requests.
func (p *trialPlan) addWorldRun(d *rand.Rand, refresh bool) {
	var with []string
	switch d.IntN(12) {
	case 0:
		with = append(with, fmt.Sprintf("die=%d", 1+d.IntN(12)))
	case 1:
		with = append(with, fmt.Sprintf("cancel=%d", 1+d.IntN(12)))
	case 2:
		refresh = true
	case 3, 4:
		with = append(with, fmt.Sprintf("point=%s:%d", modelCrashes[d.IntN(len(modelCrashes))], 1+d.IntN(3)))
	}
	if d.IntN(5) == 0 { // the index then orders by older times than the records show
		with = append(with, fmt.Sprintf("life=%d", 2+d.IntN(6)))
	}
	if refresh {
		with = append(with, "refresh=1")
	}
	p.addOp("run", d.Int64N(1000), strings.Join(with, " "))
}

// addConfigured adds a change of the configuration, or takes it back with the full refresh that this needs. It returns the settings from now on,
// and whether the next run is a full refresh.
func (p *trialPlan) addConfigured(d *rand.Rand, before string) (after string, refresh bool) {
	switch {
	case before == "" && d.IntN(5) == 0:
		all := worldSettings(p.families[0])
		after = all[d.IntN(len(all))]
	case before != "" && d.IntN(2) == 0:
		refresh = true
	default:
		return before, false
	}
	p.addOp("configure", 0, after)
	return after, refresh
}

// worldSettings are the settings of streams that a world may have for some runs.
func worldSettings(family string) []string {
	switch family {
	case "conversations":
		return []string{"conversations: {hash: [source_author_email, title], drop: [source_subject]}", "conversations: {history: true}"}
	case "tickets":
		return []string{"tickets: {hash: [title], drop: [description]}", "tickets: {history: true}"}
	case "content":
		return []string{"news_items: {drop: [title]}"}
	}
	return []string{"contacts: {hash: [email, name]}", "contacts: {drop: [phone, name]}", "contacts: {history: true}"}
}

// configure writes the settings of streams into the configuration. Masked values come back with a full refresh only.
func (t *planTrial) configure(settings string) {
	t.owed, t.kept = t.owed || t.masked, keptStream(settings)
	if t.masked = strings.Contains(settings, "hash") || strings.Contains(settings, "drop"); t.masked {
		t.snapshots = nil // the earlier states are masked too
	}
	text, _, _ := strings.Cut(t.bed.readConfig(), "streams:\n")
	if settings != "" {
		text += "streams:\n  " + settings + "\n"
	}
	t.bed.writeConfig(text)
	t.controlRunner(t.bed)
}

// isSilentEvent reports whether an event happens without evidence for the next run: a reactivated contact sometimes keeps its time, and then only
// an earlier sweep of the inactive list shows the change.
func isSilentEvent(name string) bool {
	return strings.HasPrefix(name, "contacts.un") && name != "contacts.untag"
}

// honest are behaviours that hide nothing permanently.
var honest = []string{`{"EmptyPages":0.3}`, `{"ShortPages":0.4}`, `{"Sort":"shuffled"}`, `{"Sort":"ignored"}`, `{"CursorLife":3}`, `{"DateOffset":"240h"}`, `{"DateOffset":"-3h"}`,
	`{"NextShape":"url"}`, `{"Inclusive":true}`, `{"NestedCap":2}`, `{"NoDate":true}`, `{"Codes":{"not_found":"resource_not_found"}}`, `{"Duplicates":0.3}`, `{"LoopAt":2}`, `{"PagesAsText":true}`}

// checkExitOK checks that every table is right after a run that read all of them and ended with 0.
func (t *planTrial) checkExitOK(r modelRun, report *runlog.Report) {
	whole := r.cancel == 0 && r.die == 0 && r.life == 0 && !t.replays && len(report.Streams) >= len(t.plan.streamNames())
	for _, s := range report.Streams {
		whole = whole && s.Status == runlog.StatusOK && !s.Cut && s.Backfill >= 1
	}
	if !t.plan.world || report.Exit() != problem.ExitOK || !whole || !report.HasShown() {
		return
	}
	t.owed = t.owed && r.refresh == 0
	if t.owed || t.masked || t.plan.readsAny("calls") { // a call that goes on has no final transcript
		return
	}
	t.checkEqual()
	for i := range t.failed {
		t.failed[i] = "exit 0: " + t.failed[i]
	}
}

// TestF27FormerlyMissedWrongAnswersAreNoticed executes the shrunk plans of earlier failures that have a number of their own.
// Holds: T191, T192.
func TestF27FormerlyMissedWrongAnswersAreNoticed(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	executeWorlds(t, "testdata/worlds/T*.txt")
}

// TestF27AllFormerlyMissedWrongAnswersAreNoticed executes the shrunk plans of all earlier failures.
// Holds: T161, T191, T192, T194.
func TestF27AllFormerlyMissedWrongAnswersAreNoticed(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	executeWorlds(t, "testdata/worlds/*.txt")
}

func executeWorlds(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d plans, %v", len(files), err)
	}
	c := &trialShared{dir: (&planTrial{TB: t}).TempDir(), read: map[string]string{}}
	t.Cleanup(func() { _ = os.RemoveAll(c.dir) })
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parsePlan(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if done := runTrial(t, p, c, io.Discard); done.Failed() {
			t.Errorf("%s: %s", file, strings.Join(done.failed, "\n"))
		}
	}
}
