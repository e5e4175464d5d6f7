package pipeline_test

import (
	"slices"
	"strings"
	"testing"
)

// shrinkPlan removes from a failing plan everything that it fails without: operations by halves and then by fewer, options of runs, families,
// contacts, time. fails runs a plan; it is called at most so often.
func shrinkPlan(p *trialPlan, tries int, fails func(*trialPlan) bool) *trialPlan {
	attempt := func(smaller *trialPlan) bool {
		if tries--; tries < 0 || !fails(smaller) {
			return false
		}
		p = smaller
		return true
	}
	for before := ""; before != p.String() && tries > 0; {
		before = p.String()
		for size := max(1, len(p.ops)/2); size > 0; size /= 2 {
			for at := 0; at < len(p.ops); {
				smaller := p.withOps(slices.Delete(slices.Clone(p.ops), at, min(at+size, len(p.ops))))
				if !attempt(smaller) {
					at += size
				}
			}
		}
		for i := range p.ops {
			for _, simpler := range p.ops[i].simplerForms() {
				ops := slices.Clone(p.ops)
				ops[i] = simpler
				attempt(p.withOps(ops))
			}
		}
		for _, name := range p.families {
			fewer := p.withOps(p.ops)
			fewer.families = slices.DeleteFunc(slices.Clone(p.families), func(f string) bool { return f == name })
			if len(fewer.families) > 0 {
				attempt(fewer)
			}
		}
		for smaller := p.withOps(p.ops); smaller.contacts > 1; smaller = smaller.withOps(smaller.ops) {
			if smaller.contacts /= 2; !attempt(smaller) {
				break
			}
		}
	}
	return p
}

// withOps returns the plan with other operations.
func (p *trialPlan) withOps(ops []planOp) *trialPlan {
	other := *p
	other.ops = ops
	return &other
}

// simplerForms returns simpler forms of an operation: a run without one of its options, a shorter time.
func (o planOp) simplerForms() (all []planOp) {
	words := strings.Fields(o.with)
	for i := range words {
		if o.do == "run" {
			all = append(all, planOp{o.do, o.n, strings.Join(slices.Delete(slices.Clone(words), i, i+1), " ")})
		}
	}
	if o.do == "wait" && o.n > 1 {
		all = append(all, planOp{o.do, o.n / 2, ""})
	}
	if faults := strings.Split(o.with, ","); (o.do == "chaos" || o.do == "lies") && len(faults) > 1 {
		for _, f := range faults {
			all = append(all, planOp{o.do, o.n, f})
		}
	}
	return all
}

// TestFailingPlanIsShrunk removes all but the operations that a failure needs.
func TestFailingPlanIsShrunk(t *testing.T) {
	t.Parallel()
	p := drawPlan(3, 12)
	p.addOp("wait", 4000, "")
	p.addOp("contacts.merge", 5, "")
	p.addOp("run", 7, "life=3 die=4")
	fails := func(p *trialPlan) bool {
		text := p.String()
		merged := strings.Index(text, "contacts.merge 5\n")
		return merged > 0 && strings.Contains(text[merged:], "die=4")
	}
	got := shrinkPlan(p, 1000, fails)
	if want := []planOp{{"contacts.merge", 5, ""}, {"run", 7, "die=4"}}; !slices.Equal(got.ops, want) || len(got.families) != 1 || got.contacts != 1 {
		t.Errorf("it is shrunk to\n%s", got)
	}
	again, err := parsePlan("# a comment\n" + got.String())
	if err != nil || again.String() != got.String() {
		t.Errorf("%v: what is written is not what is read:\n%s", err, again)
	}
}
