package publish_test

import (
	"slices"
	"strings"
	"testing"

	"aqueduck/load/committest"
	"aqueduck/load/publish"
)

// publishKeyed publishes a keyed model that gives each row another mark when it is made, and returns the marks by person.
func (h *publishFixture) publishKeyed(unkeyed string, chunk int64) []string {
	h.t.Helper()
	marked := testModel("marked", "table", "SELECT people.id, name, gen_random_uuid()::VARCHAR AS mark FROM {schema}.people CROSS JOIN {models}.other")
	marked.Key, marked.ChangedBy = "id", []publish.KeyColumn{{Table: "people", Column: "id"}}
	s := h.runSpec()
	s.Schemas[0].Models = publish.Models{Schema: "models", Relations: []publish.Relation{marked, testModel("other", "table", unkeyed)}, ChunkRows: chunk}
	r := h.publishOnly(s)
	h.openRun()
	if len(r.FailedModels) > 0 {
		h.t.Fatal(r.FailedModels)
	}
	return firstColumn(h.t, h.dir, "SELECT id || ' ' || name || ' ' || mark FROM models.marked ORDER BY id")
}

// TestAKeyedModelIsMadeAgainOnlyForChangedKeys changes keys of few stored rows, which are copied, and of many, which are not.
func TestAKeyedModelIsMadeAgainOnlyForChangedKeys(t *testing.T) {
	t.Parallel()
	for _, chunk := range []int64{0, 1} {
		h := newHouse(t)
		h.commitPeople(newPerson("1", "a"), newPerson("2", "b"), newPerson("3", "c"))
		const other = "SELECT 1 AS n WHERE EXISTS (FROM {schema}.people WHERE name = 'z') OR true"
		first := h.publishKeyed(other, chunk)
		if len(first) != 3 {
			t.Fatalf("rows of three people: %v", first)
		}
		h.commitPeople(newPerson("2", "changed"), newPerson("4", "new"))
		second := h.publishKeyed(other, chunk)
		if len(second) != 4 || second[0] != first[0] || second[2] != first[2] || second[1] == first[1] || second[1][:9] != "2 changed" {
			t.Errorf("chunks of %d rows, one changed and one new:\n%v\n%v", chunk, first, second)
		}
	}
}

// TestAKeyedModelIsMadeWholeWhenMostKeysHaveChanged: all rows then take fewer chunks, each of which reads all stored rows.
func TestAKeyedModelIsMadeWholeWhenMostKeysHaveChanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var people []committest.Person
	for _, id := range strings.Split("123456789", "") {
		people = append(people, newPerson(id, "a"))
	}
	h.commitPeople(people...)
	const other, chunk = "SELECT 1 AS n", 8 // a chunk of all rows has eight, one of changed keys has one
	first := h.publishKeyed(other, chunk)
	h.commitPeople(newPerson("5", "b"))
	second := h.publishKeyed(other, chunk)
	h.commitPeople(newPerson("1", "c"), newPerson("2", "c"), newPerson("3", "c"), newPerson("4", "c"), newPerson("5", "c"), newPerson("6", "c"))
	third := h.publishKeyed(other, chunk)
	if len(first) != 9 || len(second) != 9 || len(third) != 9 {
		t.Fatalf("%d, %d and %d rows of nine people", len(first), len(second), len(third))
	}
	for i := range first {
		if (second[i] == first[i]) != (i != 4) || third[i] == second[i] || third[i][2:3] != map[bool]string{true: "c", false: "a"}[i < 6] {
			t.Errorf("one changed, then six: %q, %q, %q", first[i], second[i], third[i])
		}
	}
}

func TestAKeyedModelIsMadeWholeWhenAnotherModelThatItReadsHasOtherRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"), newPerson("2", "b"))
	const other = "SELECT count(*) FILTER (name = 'z') AS n FROM {schema}.people"
	first := h.publishKeyed(other, 1)
	h.commitPeople(newPerson("2", "z"))
	second := h.publishKeyed(other, 1)
	if len(first) != 2 || len(second) != 2 || slices.Contains(second, first[0]) {
		t.Errorf("a row was kept:\n%v\n%v", first, second)
	}
}
