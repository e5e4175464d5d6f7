package pipeline_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"aqueduck/internal/emulator"
)

// trialPlan is the plan of a seed: a small workspace, the streams to read, and a sequence of operations. Its text form has one line for each.
type trialPlan struct {
	seed      uint64
	families  []string
	workspace uint64 // seed of the population
	contacts  int
	page      int  // records on a page of every list
	begun     bool // the warehouse was synced once, without faults
	world     bool // answers may be wrong, and a run that ends with 0 must have noticed
	ops       []planOp
}

// planOp is one operation: a word, a seed for everything that it draws, and arguments.
type planOp struct {
	do   string
	n    int64
	with string
}

func (o planOp) String() string { return strings.TrimSpace(fmt.Sprintf("%s %d %s", o.do, o.n, o.with)) }

func (p *trialPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\nreads %s\nworkspace %d\ncontacts %d\npage %d\n", p.seed, strings.Join(p.families, ","), p.workspace, p.contacts, p.page)
	if p.begun {
		fmt.Fprintln(&b, "begun 1")
	}
	if p.world {
		fmt.Fprintln(&b, "world 1")
	}
	for _, o := range p.ops {
		fmt.Fprintln(&b, o)
	}
	return b.String()
}

// parsePlan parses what String writes. Lines that begin with # are comments.
func parsePlan(text string) (*trialPlan, error) {
	p := &trialPlan{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "reads" {
			p.families = strings.Split(rest, ",")
			continue
		}
		number, with, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		switch word {
		case "seed":
			p.seed = uint64(n)
		case "workspace":
			p.workspace = uint64(n)
		case "begun":
			p.begun = n > 0
		case "world":
			p.world = n > 0
		case "contacts":
			p.contacts = int(n)
		case "page":
			p.page = int(n)
		default:
			p.ops = append(p.ops, planOp{word, n, with})
		}
	}
	for _, name := range p.families {
		if !slices.ContainsFunc(families, func(f streamFamily) bool { return f.name == name }) {
			return nil, fmt.Errorf("no family is called %q", name)
		}
	}
	return p, nil
}

// streamNames returns the streams of the families, each once.
func (p *trialPlan) streamNames() []string {
	var list []string
	for _, f := range families {
		if !slices.Contains(p.families, f.name) {
			continue
		}
		for s := range strings.SplitSeq(f.streams, ", ") {
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

func (p *trialPlan) readsAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(p.families, name) })
}

// late is a search index that learns of most changes late, and of some very late.
const late = `{"LagMax":"30m","TailShare":0.7,"Tail":"40h"}`

// tempers are correct behaviours of a workspace that make it hard to read, as Knobs.
var tempers = []string{
	late, late, late, late, late, late, `{"LeaveLag":"20m"}`, `{"StaleReplica":0.4,"Duplicates":0.3}`, `{"StaleReplica":0.4,"LagMax":"30m"}`, `{"EmptyPages":0.3}`, `{"EmptyPages":0.3}`,
	`{"ShortPages":0.4}`, `{"Sort":"shuffled"}`, `{"Sort":"ignored"}`, `{"CursorLife":2}`, `{"CursorLife":3}`, `{"TooLarge":1}`, `{"ActivityLag":"3h","TrailingToken":true}`,
	`{"OffsetWalk":true}`, `{"DateOffset":"-5m"}`, `{"NoDate":true}`, `{"TotalError":0.1}`, `{"NextShape":"url"}`, `{"DeletedOrder":"oldest"}`, `{"Inclusive":true}`,
	`{"Unavailable":["conversations.search","contacts.search"]}`, `{"CallsShuffled":true,"CallsLeftOut":0.2}`, `{"LogPage":3,"LogBoundsOut":true}`, `{"NestedCap":2}`,
}

// mishaps are faults of the network and of proxies, each for a share of the requests.
var mishaps = []string{"error:500", "error:503", "429", "reset", "truncate", "garbage", "html404", "age", "encoding", "redirect", "unknown", "numbers"}

// modelCrashes are the points at which a run may die, repeated by their probability.
var modelCrashes = []string{"commit-staged", "commit-staged", "commit-written", "commit-written", "commit-written", "commit-done", "publish-copied", "publish-sealed", "publish-moved", "lake-part", "lake-manifest",
	"link-swapped", "work-trashed", "publish-retained", "fold-copied", "fold-swapping", "open-restored", "erase-noted", "erase-begun", "erase-committed", "erase-published"}

// weighted are the families, repeated by their probability: those that can go wrong in more ways more often.
var weighted = []string{"contacts", "contacts", "contacts", "conversations", "conversations", "tickets", "companies", "calls", "logs", "lists", "content"}

// nameless is a workspace that is used only for the names of its events.
var nameless = sync.OnceValue(func() *emulator.Workspace { return emulator.New(emulator.Config{Seed: 1, Contacts: 1}) })

// drawPlan draws the plan of a seed, with at most so many runs.
func drawPlan(seed uint64, runs int) *trialPlan {
	d := rand.New(rand.NewPCG(seed, 6))
	p := &trialPlan{seed: seed, contacts: 4 + d.IntN(16), workspace: seed, page: 1 + d.IntN(8), families: []string{weighted[d.IntN(len(weighted))]}}
	if p.begun = d.IntN(4) > 0; p.begun { // few populations, because each is synced once for all plans that begin with it
		p.workspace, p.contacts = 1, []int{6, 14}[d.IntN(2)]
	}
	if d.IntN(5) == 0 && p.families[0] != "contacts" { // erasing persons needs the contacts
		p.families = append(p.families, "contacts")
	}
	l := &workspaceLife{dice: d, space: nameless()}
	var events []lifeEvent
	for _, f := range families {
		if slices.Contains(p.families, f.name) {
			events = append(events, f.events(l)...)
		}
	}
	if d.IntN(3) > 0 {
		p.addOp("knobs", 0, tempers[d.IntN(len(tempers))])
	}
	for range 1 + d.IntN(runs) {
		for range 1 + d.IntN(9) {
			switch x := d.IntN(16); {
			case x < 11:
				p.addOp(events[d.IntN(len(events))].name, d.Int64N(1000), "")
			case x < 13:
				p.addOp("wait", 1+d.Int64N(4000), "")
			case x < 14:
				p.addOp("knobs", 0, tempers[d.IntN(len(tempers))])
			default:
				p.addOddity(d)
			}
		}
		if d.IntN(2) == 0 {
			p.addOp("wait", 1000+d.Int64N(100_000), "")
		}
		p.addRun(d)
	}
	return p
}

func (p *trialPlan) addOp(do string, n int64, with string) {
	p.ops = append(p.ops, planOp{do, n, with})
}

// addOddity adds a fault that lasts until another operation ends it, or a fault of the program's environment.
func (p *trialPlan) addOddity(d *rand.Rand) {
	switch d.IntN(6) {
	case 0:
		p.addOp("clock", []int64{-86400, -3600, 3600, 86400, 365 * 86400}[d.IntN(5)], "")
	case 1:
		p.addOp("expire-cursors", 0, "")
	case 2:
		if p.readsAny("contacts", "calls") {
			p.addOp("erase", d.Int64N(1000), "")
		}
	case 3:
		p.addOp("chaos", 0, "")
	default:
		var all []string
		for range 1 + d.IntN(2) {
			name, detail, _ := strings.Cut(mishaps[d.IntN(len(mishaps))], ":")
			all = append(all, strings.TrimSuffix(fmt.Sprintf("%s=%v:%s", name, []float64{0.02, 0.1, 0.3}[d.IntN(3)], detail), ":"))
		}
		p.addOp("chaos", 0, strings.Join(all, ","))
	}
}

// addRun adds a run: how it ends, which events happen between its requests, and its options.
func (p *trialPlan) addRun(d *rand.Rand) {
	var with []string
	say := func(format string, a ...any) { with = append(with, fmt.Sprintf(format, a...)) }
	switch d.IntN(10) {
	case 0, 1:
		say("cancel=%d", 1+d.IntN(12))
	case 2, 3:
		say("die=%d", 1+d.IntN(12))
	case 4, 5:
		say("point=%s:%d", modelCrashes[d.IntN(len(modelCrashes))], 1+d.IntN(3))
	}
	if d.IntN(3) == 0 {
		say("life=%d", 1+d.IntN(4))
	}
	if d.IntN(4) == 0 {
		say("slow=%d", 1+d.IntN(200))
	}
	streams := p.streamNames()
	switch d.IntN(10) {
	case 0:
		say("requests=%d", 2+d.IntN(10))
	case 1:
		say("time=%d", 30+d.IntN(600))
	case 2:
		say("select=%s", streams[d.IntN(len(streams))])
	case 3:
		say("refresh=1")
	case 4:
		say("limit=%d", 1+d.IntN(20))
	}
	p.addOp("run", d.Int64N(1000), strings.Join(with, " "))
}
