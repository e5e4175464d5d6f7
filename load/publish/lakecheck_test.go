package publish_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/load/compare"
	"aqueduck/load/lakecheck"
	"aqueduck/load/publish"
)

// checkLake checks the lake of a house, and returns kind and place of each damage.
func (h *publishFixture) checkLake(late bool) (damages []string, state lakecheck.LakeState) {
	h.t.Helper()
	file := h.dir.Current()
	held, err := compare.Compare(context.Background(), h.dir, file)
	must(h.t, err)
	state, err = lakecheck.Check(h.t.Context(), h.dir, h.runSpec().Schemas[0], held.Reader, file, late)
	must(h.t, err)
	must(h.t, held.Close())
	for _, d := range state.Damages {
		damages = append(damages, d.Kind+" "+d.Place)
	}
	return damages, state
}

// partsOf are the paths of the parts of a table, in order.
func (h *publishFixture) partsOf(table string) []string {
	h.t.Helper()
	paths, err := filepath.Glob(filepath.Join(h.dir.Lake("main"), table, "*.parquet"))
	must(h.t, err)
	if len(paths) < 2 {
		h.t.Fatalf("%s has the parts %v", table, paths)
	}
	return paths
}

// TestEachDamageToALakeIsFound publishes a table of several parts, and damages a copy of the lake in each way: a byte is changed, a part is
// cut, removed, replaced by one of an earlier publish or gets one beside it, the manifest is lost, cut, or that of an earlier publish.
func TestEachDamageToALakeIsFound(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(manyPeople(0, 12000, "a")...)
	h.publishParts()
	lake := h.dir.Lake("main")
	earlier := h.partsOf("people")
	older, err := os.ReadFile(earlier[len(earlier)-1])
	must(t, err)
	olderManifest, err := os.ReadFile(filepath.Join(lake, "_manifest.json"))
	must(t, err)
	h.commitPeople(manyPeople(11000, 14000, "b")...)
	h.publishParts()
	if damages, state := h.checkLake(false); len(damages) > 0 || state.Unknown != "" || state.Tables < 2 || state.Parts <= len(earlier) {
		t.Fatalf("a whole lake: %v, %+v", damages, state)
	}
	parts := h.partsOf("people")
	last := parts[len(parts)-1]
	content, err := os.ReadFile(last)
	must(t, err)
	place := func(path string) string { return strings.TrimPrefix(path, string(h.dir)+"/") }
	for name, c := range map[string]struct {
		damage func() (undo func())
		want   []string
	}{
		"a changed byte": {func() func() {
			changed := slices.Clone(content)
			changed[len(changed)/2] ^= 1
			return h.replaced(last, changed)
		}, []string{"changed " + place(last)}},
		"a cut part":                   {func() func() { return h.replaced(last, content[:len(content)-1]) }, []string{"changed " + place(last)}},
		"a part of an earlier publish": {func() func() { return h.replaced(last, older) }, []string{"changed " + place(last)}},
		"a missing part":               {func() func() { return h.replaced(last, nil) }, []string{"missing " + place(last)}},
		"an earlier part beside the others": {func() func() { return h.replaced(filepath.Join(filepath.Dir(last), "first-0.parquet"), older) },
			[]string{"foreign lake/main/people/first-0.parquet"}},
		"no manifest":        {func() func() { return h.replaced(filepath.Join(lake, "_manifest.json"), nil) }, []string{"manifest lake/main/_manifest.json"}},
		"half of a manifest": {func() func() { return h.replaced(filepath.Join(lake, "_manifest.json"), olderManifest[:100]) }, []string{"manifest lake/main/_manifest.json"}},
	} {
		undo := c.damage()
		if got, _ := h.checkLake(false); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", name, got, c.want)
		}
		undo()
	}
	for want, change := range map[string]func(publish.Manifest){
		"rows lake/main/people":    func(m publish.Manifest) { m.Tables["people"].Parts[0].Rows++ },
		"missing lake/main/people": func(m publish.Manifest) { delete(m.Tables, "people") },
		"rows lake/main/nobody":    func(m publish.Manifest) { m.Tables["nobody"] = m.Tables["people"] },
	} {
		var m publish.Manifest
		text, err := os.ReadFile(filepath.Join(lake, "_manifest.json"))
		must(t, err)
		must(t, json.Unmarshal(text, &m))
		change(m)
		text, err = json.Marshal(m)
		must(t, err)
		undo := h.replaced(filepath.Join(lake, "_manifest.json"), text)
		if got, _ := h.checkLake(false); !slices.Contains(got, want) {
			t.Errorf("a manifest with other rows: found %v, want %s", got, want)
		}
		undo()
	}
	undo := h.replaced(filepath.Join(lake, "_manifest.json"), olderManifest)
	if got, _ := h.checkLake(false); !slices.Contains(got, "publish lake/main/_manifest.json") {
		t.Errorf("the manifest of an earlier publish: %v", got)
	}
	undo()
	if damages, _ := h.checkLake(false); len(damages) > 0 {
		t.Errorf("in the end: %v", damages)
	}
}

// replaced replaces a file, or removes it when text is nil, and returns what puts it back.
func (h *publishFixture) replaced(path string, text []byte) (undo func()) {
	h.t.Helper()
	before, err := os.ReadFile(path)
	there := err == nil
	put := func(text []byte) {
		must(h.t, os.RemoveAll(path)) // the file may have another name too
		if text != nil {
			must(h.t, os.WriteFile(path, text, 0o644))
		}
	}
	put(text)
	return func() {
		if put(nil); there {
			put(before)
		}
	}
}

// TestALakeOfAnotherPublishIsFound checks a lake that follows later, by configuration, and one that readers have beside an older file.
func TestALakeOfAnotherPublishIsFound(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	first := h.dir.Current()
	h.commitPeople(newPerson("2", "b"))
	s := h.runSpec()
	s.LakeEvery = 1 << 62
	if _, err := publish.Publish(t.Context(), h.dir, h.work, s); err != nil {
		t.Fatal(err)
	}
	h.openRun()
	if damages, state := h.checkLake(true); len(damages) > 0 || state.Unknown != "" {
		t.Errorf("a lake that follows later: %v, %+v", damages, state)
	}
	if damages, _ := h.checkLake(false); fmt.Sprint(damages) != "[publish lake/main/_manifest.json]" {
		t.Errorf("a lake that must not be older: %v", damages)
	}
	must(t, os.Remove(first))
	if damages, state := h.checkLake(true); len(damages) > 0 || !strings.Contains(state.Unknown, "rows not compared") {
		t.Errorf("without the file that the lake belongs to: %v, %+v", damages, state)
	}
}
