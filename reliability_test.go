package aqueduck

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryFaultHasItsLine holds docs/reliability.md to the code: each fault once, with tests and targets of the Makefile that
// are there, and every test whose name says a fault's number on the line of that fault.
func TestEveryFaultHasItsLine(t *testing.T) {
	t.Parallel()
	const faults = 27
	page, err := os.ReadFile("docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tests, text := declared(t)
	held, target := map[int][]string{}, regexp.MustCompile("`make ([a-z-]+)")
	fault := regexp.MustCompile(`^\| F(\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \| [^|]+ \|$`)
	for line := range strings.Lines(string(page)) {
		for _, m := range target.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(string(targets), "\n"+m[1]+":") {
				t.Errorf("there is no make %s: %.40s…", m[1], line)
			}
		}
		m := fault.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			if strings.HasPrefix(line, "| F") && !strings.HasPrefix(line, "| Fault") {
				t.Errorf("a line of another form: %.60s…", line)
			}
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > faults || held[n] != nil {
			t.Errorf("F%s: a fault that is not there, or a second line for it", m[1])
		}
		held[n] = append([]string{}, checkNames(t, m[2], tests, text)...) // not nil: the line is there
	}
	for n := 1; n <= faults; n++ {
		if held[n] == nil {
			t.Errorf("F%d has no line", n)
		}
	}
	prefix := regexp.MustCompile(`\.TestF(\d+)`)
	for name := range tests {
		if m := prefix.FindStringSubmatch(name); m != nil {
			if n, err := strconv.Atoi(m[1]); err != nil || !slices.Contains(held[n], name) {
				t.Errorf("%s is not on the line of F%s", name, m[1])
			}
		}
	}
}
