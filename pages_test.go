package aqueduck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMonitorHasEveryFindingOfTheAudit with its kind, and no other.
func TestMonitorHasEveryFindingOfTheAudit(t *testing.T) {
	t.Parallel()
	section := readSection(t, "docs/monitor.md", "## Read the audit findings")
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (exact|soft|known) \\|").FindAllStringSubmatch(section, -1) {
		listed[m[1]] = m[2]
	}
	made := map[string]string{"parts_capped": "known", "rounds_capped": "known"} // named by the stream files, `+ "_capped"` in the code
	finding := regexp.MustCompile(`load\.Finding\{[^}]*Kind: "(\w+)", Name: "(\w+)"`)
	for _, dir := range []string{"internal/sync", "internal/pipeline"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range finding.FindAllStringSubmatch(string(source), -1) {
				made[m[2]] = m[1]
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(made) < 10 {
		t.Fatalf("found %d findings in the code only: %v", len(made), made)
	}
	for name, kind := range made {
		if listed[name] != kind {
			t.Errorf("the page has %s as %q, the code makes it %q", name, listed[name], kind)
		}
	}
	for name := range listed {
		if made[name] == "" {
			t.Errorf("the page has %s, which no code makes", name)
		}
	}
}

// TestMonitorHasEveryExitCode of package problem, and no other.
func TestMonitorHasEveryExitCode(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("internal/problem/problem.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\tExit\w+ += (\d+)`).FindAllStringSubmatch(string(source), -1) {
		defined[m[1]] = true
	}
	listed := map[string]bool{}
	section := readSection(t, "docs/monitor.md", "## Act on an exit code")
	for _, m := range regexp.MustCompile(`(?m)^\| ([\d, ]+) \|`).FindAllStringSubmatch(section, -1) {
		for code := range strings.SplitSeq(m[1], ", ") {
			listed[code] = true
			if !defined[code] {
				t.Errorf("the page has code %s, which the program does not end with", code)
			}
		}
	}
	for code := range defined {
		if !listed[code] {
			t.Errorf("the page lacks code %s", code)
		}
	}
	if len(defined) < 9 {
		t.Errorf("found %d exit codes in the code only", len(defined))
	}
}

// TestTheConsolePageHasEveryMetric that the program gives, and no other.
func TestTheConsolePageHasEveryMetric(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("internal/metrics/metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, m := range regexp.MustCompile(`newMetricDesc\("(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		given["aqueduck_"+m[1]] = true
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(aqueduck_\\w+|…_\\w+)").FindAllStringSubmatch(readSection(t, "docs/console.md", "## Metrics for Prometheus"), -1) {
		listed[strings.Replace(m[1], "…", "aqueduck_last_run", 1)] = true
	}
	for name := range given {
		if !listed[name] {
			t.Errorf("the page lacks %s", name)
		}
	}
	for name := range listed {
		if !given[name] {
			t.Errorf("the page has %s, which the program does not give", name)
		}
	}
	if len(given) < 10 {
		t.Errorf("found %d metrics in the code only", len(given))
	}
}

// TestOtherNamesLeadToTermsOfTheGlossary: each line of the second table names a term of the first one.
func TestOtherNamesLeadToTermsOfTheGlossary(t *testing.T) {
	t.Parallel()
	terms := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \|[^|]+\|[^|]+\|$`).FindAllStringSubmatch(readSection(t, "docs/glossary.md", "# Glossary"), -1) {
		for term := range strings.SplitSeq(m[1], ", ") {
			terms[term] = true
		}
	}
	names := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(readSection(t, "docs/glossary.md", "## Other names"), -1)
	for _, m := range names[1:] {
		if !terms[m[2]] {
			t.Errorf("%q leads to %q, which is no term", m[1], m[2])
		}
	}
	if len(names) < 20 {
		t.Errorf("found %d other names only", len(names))
	}
}

// TestInstallHasEveryFileOfAWarehouse that the code names.
func TestInstallHasEveryFileOfAWarehouse(t *testing.T) {
	t.Parallel()
	section := readSection(t, "docs/install.md", "## Files of a warehouse")
	named := regexp.MustCompile(`(?:State\(\)|string\(d\)), "([^"]+)"|(?:hashKeyName|bookkeepingPrefix) += "([^"]+)"`)
	found := 0
	for _, dir := range []string{"load", "internal"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range named.FindAllStringSubmatch(string(source), -1) {
				name := m[1] + m[2]
				found++
				if before, _, temporary := strings.Cut(name, "-"); temporary && name != "older-removed" {
					name = before + "-" // the rest of the name differs
				}
				if !strings.Contains(section, name) {
					t.Errorf("the page lacks %s, which %s names", name, path)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("found %d files in the code only", found)
	}
}

// readSection gives a page from a heading to the next one.
func readSection(t *testing.T, path, heading string) string {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), heading+"\n")
	if !found {
		t.Fatalf("%s has no %q", path, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}
