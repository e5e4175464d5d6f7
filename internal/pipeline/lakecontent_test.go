package pipeline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

// TestTheLakeHasWhatTheFileHasButForWhatThePageNames compares the relations of the published file with the directories of the lake. What the lake
// lacks is exactly what docs/bi.md names, and each name there stands for something that it lacks.
func TestTheLakeHasWhatTheFileHasButForWhatThePageNames(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBed(t, tinyConfig(520)).publishingAll()
	b.writeConfig("version: 1\nwarehouse: {dir: data}\nworkspaces: {main: {base_url: \"${WORKSPACE_URL}\", token: \"${WORKSPACE_TOKEN}\"}}\npipelines: {all: {streams: \"*\"}}\n")
	b.syncOnce(runner.Options{})
	page, err := os.ReadFile("../../docs/bi.md")
	b.failOn(err)
	_, section, found := strings.Cut(string(page), "\n### What only the DuckDB file has\n")
	section, _, closed := strings.Cut(section, "\nCopy one out")
	if !found || !closed {
		t.Fatal("docs/bi.md has no section on what only the file has")
	}
	named := map[string]int{} // by the name on the page: how often it was needed
	for _, row := range regexp.MustCompile("(?m)^\\| ([^|]*`[^|]*) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			named[name[1]] = 0
		}
	}
	nameOf := func(relation string) (names []string) {
		for name := range named {
			if suffix, of := strings.CutPrefix(name, "…"); name == relation || of && strings.HasSuffix(relation, suffix) {
				names = append(names, name)
			}
		}
		return names
	}
	var lake []string
	for _, relation := range b.queryRows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'") {
		_, err := os.Stat(filepath.Join(b.runner.Dir.Lake("main"), relation))
		names := nameOf(relation)
		switch {
		case err == nil && len(names) > 0:
			t.Errorf("the lake has %s, which the page calls %q", relation, names)
		case err == nil:
			lake = append(lake, relation)
		case len(names) == 0:
			t.Errorf("the lake lacks %s, and the page does not say so", relation)
		}
		for _, name := range names {
			named[name]++
		}
	}
	for _, schema := range b.queryRows("SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_schema <> 'main'") {
		if _, there := named[schema]; !there {
			t.Errorf("the lake lacks the schema %s, and the page does not say so", schema)
		}
		named[schema]++
	}
	for name, n := range named {
		if n == 0 {
			t.Errorf("docs/bi.md names %q, and nothing is called so", name)
		}
	}
	if len(lake) < 100 || !slices.Contains(lake, "contacts_deleted") {
		t.Errorf("the lake has %d relations of the file", len(lake))
	}
}
