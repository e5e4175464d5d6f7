package runlog

import (
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

// TestEightCharactersNameARun makes ids as runs do, all in one millisecond: their beginnings are equal, and their last eight characters are not.
func TestEightCharactersNameARun(t *testing.T) {
	t.Parallel()
	at := ulid.Timestamp(time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC))
	const many = 1000
	short := map[string]bool{}
	var first, last string
	for range many {
		last = ulid.MustNew(at, ulid.DefaultEntropy()).String()
		if first == "" {
			first = last
		}
		if short[ShortRun(last)] = true; len(ShortRun(last)) != 8 {
			t.Fatalf("%s is called %s", last, ShortRun(last))
		}
	}
	if len(short) != many || first[:8] != last[:8] {
		t.Errorf("%d runs have %d short ids; %s %s", many, len(short), first, last)
	}
	for given, want := range map[string]bool{last: true, last[:4]: true, ShortRun(last): true, strings.ToLower(ShortRun(last)): true, ShortRun(last)[:6]: true, ShortRun(first): false, "X" + last: false, last[1:9]: false} {
		if MatchesRun(last, given) != want {
			t.Errorf("%s means %s: %t", given, last, !want)
		}
	}
	if file := ShortRun(last + "-02"); file != ShortRun(last)+"-02" || !MatchesRun(last+"-02", file) || !MatchesRun(last+"-02", ShortRun(last)) {
		t.Errorf("the second file of %s is called %s", last, file)
	}
	said := SeveralRuns("runs", "01", []string{first, last, first, first, first, first}, "list the runs: aqueduck runs").Error()
	if want := "several runs have an id, or a short id, that begins with 01; their short ids: " + ShortRun(first) + ", " + ShortRun(last) + ", "; !strings.HasPrefix(said, want) || !strings.HasSuffix(said, ", …") {
		t.Error(said)
	}
}
