package publish_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/load/committest"
	"aqueduck/load/publish"
)

// smallParts makes the parts of a publish so small that a few thousand people have several. It adds a relation over a table that a relation makes.
func smallParts(s publish.Spec) publish.Spec {
	s.PartBytes, s.GroupRows = 60<<10, 2048
	s.Schemas[0].Relations = append(s.Schemas[0].Relations,
		publish.Relation{Name: "names_twice", Kind: "view", Doc: "Names of several people.", SQL: "SELECT name FROM {schema}.people_names WHERE people > 1"})
	return s
}

// publishParts publishes in small parts, checks that the lake has the rows of the file, and begins the next run.
func (h *publishFixture) publishParts() publish.Result {
	h.t.Helper()
	return h.publishGroups(2048)
}

// publishGroups is publishParts with groups of so many rows.
func (h *publishFixture) publishGroups(rows int) publish.Result {
	h.t.Helper()
	spec := smallParts(h.runSpec())
	spec.GroupRows = rows
	r := h.publishOnly(spec)
	requireSameRows(h.t, h)
	h.openRun()
	return r
}

// manyPeople are people with ids and times from one number up to another.
func manyPeople(from, to int, name string) []committest.Person {
	var list []committest.Person
	for i := from; i < to; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		list = append(list, committest.Person{Region: "eu", ID: strconv.Itoa(i), Updated: int64(1000 + i), Name: fmt.Sprint(name, r.Uint64(), r.Uint64()),
			Tags: []string{strconv.Itoa(i % 7)}})
	}
	return list
}

// lakeInodes gives the file of every part of a table, by name.
func lakeInodes(t testing.TB, h *publishFixture, table string) map[string]fs.FileInfo {
	t.Helper()
	found := map[string]fs.FileInfo{}
	paths, err := filepath.Glob(filepath.Join(h.dir.Lake("main"), table, "*.parquet"))
	must(t, err)
	for _, path := range paths {
		info, err := os.Stat(path)
		must(t, err)
		found[filepath.Base(path)] = info
	}
	return found
}

// newParts counts the parts that another file had before.
func newParts(before, after map[string]fs.FileInfo) (n int) {
	for name, info := range after {
		if old, there := before[name]; !there || !os.SameFile(old, info) {
			n++
		}
	}
	return n
}

// differences counts the rows of each table that only a published file or only the Parquet files have.
func differences(t testing.TB, lake, file string, tables []string) map[string]int {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("ATTACH '" + file + "' AS wh (READ_ONLY)")
	must(t, err)
	found := map[string]int{}
	for _, table := range tables {
		var n int
		in, out := "wh.main."+table, "read_parquet('"+filepath.Join(lake, table, "*.parquet")+"')"
		must(t, db.QueryRow(fmt.Sprintf("SELECT count(*) FROM ((FROM %[1]s EXCEPT ALL FROM %[2]s) UNION ALL (FROM %[2]s EXCEPT ALL FROM %[1]s))", in, out)).Scan(&n))
		found[table] = n
	}
	return found
}

// requireSameRows fails the test unless file and lake have the same rows, and the manifest names exactly the files that a glob finds.
func requireSameRows(t testing.TB, h *publishFixture) {
	t.Helper()
	m := lakeManifest(t, h)
	if len(m.Tables) == 0 {
		t.Error("the manifest has no table")
	}
	differ := differences(t, h.dir.Lake("main"), h.dir.Current(), slices.Collect(maps.Keys(m.Tables)))
	for name, table := range m.Tables {
		if differ[name] != 0 {
			t.Errorf("%s: %d rows differ between file and lake", name, differ[name])
		}
		var rows int64
		var named []string
		for _, part := range table.Parts {
			rows, named = rows+part.Rows, append(named, filepath.Base(part.File))
		}
		for found := range lakeInodes(t, h, name) {
			if !slices.Contains(named, found) {
				t.Errorf("%s: a glob finds %s, which the manifest does not have", name, found)
			}
		}
		if n := firstColumn(t, h.dir, "SELECT count(*) FROM main."+name)[0]; n != fmt.Sprint(rows) {
			t.Errorf("%s: the manifest has %d rows, the table %s", name, rows, n)
		}
	}
}

func lakeManifest(t testing.TB, h *publishFixture) publish.Manifest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir.Lake("main"), "_manifest.json"))
	must(t, err)
	var m publish.Manifest
	must(t, json.Unmarshal(text, &m))
	return m
}

// TestOnlyPartsWithChangedRowsAreWritten changes one person, then removes one: the part that had the row is written again, and the last part,
// which a changed row comes to. All other files keep their names and their inodes.
func TestOnlyPartsWithChangedRowsAreWritten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(manyPeople(0, 12_000, "a")...)
	h.publishParts()
	before := lakeInodes(t, h, "people")
	if len(before) < 5 {
		t.Fatalf("%d parts, want several", len(before))
	}
	h.commitPeople(committest.Person{Region: "eu", ID: "5000", Updated: 30_000, Name: "changed", Tags: []string{"5"}})
	h.publishParts()
	after := lakeInodes(t, h, "people")
	if n := newParts(before, after); len(after) != len(before) || n != 2 {
		t.Errorf("%d of %d parts are new after a change, want 2 of %d", n, len(after), len(before))
	}
	h.commitPeople(committest.Person{Region: "eu", ID: "5001", GoneAt: 40_000})
	h.publishParts()
	last := lakeInodes(t, h, "people")
	if n := newParts(after, last); len(last) != len(before) || n != 1 {
		t.Errorf("%d of %d parts are new after a deletion, want 1 of %d", n, len(last), len(before))
	}
	h.commitPeople(committest.Person{Region: "eu", ID: "5000", Updated: 30_000, Name: "changed", Tags: []string{"6"}})
	h.publishParts()
	if n := newParts(last, lakeInodes(t, h, "people")); n != 1 {
		t.Errorf("%d parts are new after a change of a tag, which moves _synced_at of the person; want 1", n)
	}
}

// TestRowsWithoutTimeAreInTheFirstPart, and rows with one time are in one part, however many.
func TestRowsWithoutTimeAreInTheFirstPart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	list := manyPeople(0, 9000, "a")
	for i := range list {
		switch {
		case i%3 == 0:
			list[i].Updated = 0
		case i%3 == 1:
			list[i].Updated = 5000
		}
	}
	h.commitPeople(list...)
	h.publishParts()
	if n := len(lakeInodes(t, h, "people")); n < 3 {
		t.Errorf("%d parts, want several", n)
	}
	h.commitPeople(committest.Person{Region: "eu", ID: "0", Updated: 5000, Name: "has a time now"})
	h.publishParts()
}

// requireRowGroupsInOrder fails the test unless the times of two row groups overlap at most in one.
func requireRowGroupsInOrder(t *testing.T, h *publishFixture, table string) {
	t.Helper()
	db := openAsAnalyst(t, "", "")
	rows, err := db.Query(`SELECT stats_min_value, stats_max_value FROM parquet_metadata('` + filepath.Join(h.dir.Lake("main"), table, "*.parquet") + `')
		WHERE path_in_schema = 'updated_at' AND stats_min_value IS NOT NULL ORDER BY file_name, row_group_id`)
	must(t, err)
	defer rows.Close()
	last, groups := "", 0
	for rows.Next() {
		var from, to string
		must(t, rows.Scan(&from, &to))
		if from < last {
			t.Errorf("row group %d begins at %s, the one before ends at %s", groups, from, last)
		}
		last, groups = to, groups+1
	}
	if must(t, rows.Err()); groups < 3 {
		t.Errorf("%d row groups, want several", groups)
	}
}

// TestRowGroupsAreInTheOrderOfTime although the rows were committed in another order: a filter on the time skips row groups.
func TestRowGroupsAreInTheOrderOfTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	list := manyPeople(0, 12_000, "a")
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	h.commitPeople(list...)
	for _, rows := range []int{2048, 512} { // rows of groups of 512 are scattered, and are collected first
		h.publishGroups(rows)
		requireRowGroupsInOrder(t, h, "people")
		h.commitPeople(manyPeople(11_000, 16_000, fmt.Sprint("b", rows))...)
		h.publishGroups(rows)
		requireRowGroupsInOrder(t, h, "people")
		must(t, os.RemoveAll(h.dir.Lake("main")))
	}
}

// TestPartsSplitAndMerge lets a table grow and shrink: no part stays far above or below its size.
func TestPartsSplitAndMerge(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(manyPeople(0, 100, "a")...)
	h.publishParts()
	for name := range lakeInodes(t, h, "people") {
		if name != "all.parquet" {
			t.Errorf("the only part is %s", name)
		}
	}
	for i := range 3 {
		h.commitPeople(manyPeople(100+i*4000, 4100+i*4000, "a")...)
		h.publishParts()
	}
	grown := lakeInodes(t, h, "people")
	for name, info := range grown {
		if size := info.Size(); size > 120<<10 {
			t.Errorf("%s has %d KiB, want some 60", name, size>>10)
		}
	}
	var gone []committest.Person
	for i := range 12_100 {
		if i%100 > 1 || i > 3000 && i < 6000 {
			gone = append(gone, committest.Person{Region: "eu", ID: strconv.Itoa(i), GoneAt: 40_000})
		}
	}
	h.commitPeople(gone...)
	h.publishParts()
	if n := len(lakeInodes(t, h, "people")); n > 2 || len(grown) < 5 {
		t.Errorf("%d parts of a table that has lost nearly all rows, %d before", n, len(grown))
	}
	h.commitPeople(committest.Person{Region: "eu", ID: "1", Updated: 99_000, Name: "x"})
	h.publishParts()
}

// TestRandomChangesReachTheLake draws changes and compares every table of the lake with the file after each publish.
func TestRandomChangesReachTheLake(t *testing.T) {
	t.Parallel()
	rounds := lane.Cases(4, 6)
	if testing.Short() {
		rounds = 3
	}
	for l := lane.New(t, "publishes of random changes in parts", rounds); l.HasNext(); l.CountTrials(rounds) {
		h := newHouse(t)
		r := rand.New(rand.NewPCG(l.Seed(), 7))
		group := 512 << (2 * r.IntN(2)) // rows of groups of 512 are scattered
		h.commitPeople(manyPeople(0, 4000+r.IntN(8000), "a")...)
		h.publishGroups(group)
		for range rounds {
			var list []committest.Person
			at, spread := r.IntN(12_000), 1+r.IntN(12_000)
			for range 1 + r.IntN(1+r.IntN(3000)) {
				p := committest.Person{Region: "eu", ID: strconv.Itoa(at + r.IntN(spread))}
				if p.Updated = int64(r.IntN(60_000)); r.IntN(4) == 0 {
					p.GoneAt = 1 + int64(r.IntN(60_000))
				}
				p.Name, p.Tags = strconv.Itoa(r.IntN(1000)), []string{strconv.Itoa(r.IntN(7))}
				if r.IntN(3) == 0 {
					p.Visits = []committest.Visit{{ID: strconv.Itoa(r.Int()), Note: "n", Photos: "ab"}}
				}
				list = append(list, p)
			}
			h.commitPeople(list...)
			h.publishGroups(group)
		}
	}
}

// TestRelationsOverATableMadeAgainWithTheSameRowsAreNotCompared changes the times of people, then the name of one. The table of names is made again both times.
func TestRelationsOverATableMadeAgainWithTheSameRowsAreNotCompared(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"), newPerson("2", "a"), newPerson("3", "b"))
	h.publishParts()
	changed := func(id, name string, updated int64) (names, twice bool) {
		before := lakeManifest(t, h).Tables
		h.commitPeople(committest.Person{Region: "eu", ID: id, Updated: updated, Name: name})
		h.publishParts()
		after := lakeManifest(t, h).Tables
		return !after["people_names"].ChangedAt.Equal(before["people_names"].ChangedAt), !after["names_twice"].ChangedAt.Equal(before["names_twice"].ChangedAt)
	}
	if names, twice := changed("1", "a", 6); !names || twice {
		t.Errorf("another time: names %t, names of several people %t; want true, false", names, twice)
	}
	if names, twice := changed("3", "a", 7); !names || !twice {
		t.Errorf("another name: names %t, names of several people %t; want true, true", names, twice)
	}
	if names, twice := changed("3", "a", 8); !names || twice {
		t.Errorf("another time again: names %t, names of several people %t; want true, false", names, twice)
	}
}

// TestAChangedDefinitionWritesAllParts changes a comment of the schema.
func TestAChangedDefinitionWritesAllParts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(manyPeople(0, 6000, "a")...)
	h.publishParts()
	before := lakeInodes(t, h, "people")
	s := smallParts(h.runSpec())
	s.Schemas[0].Relations[0].Doc = "Another comment."
	h.publishOnly(s)
	requireSameRows(t, h)
	after := lakeInodes(t, h, "people")
	for name, info := range after {
		if old, there := before[name]; there && os.SameFile(old, info) {
			t.Errorf("%s was kept", name)
		}
	}
	h.openRun()
}

// TestOldLakesAreTakenOver puts a lake as earlier versions wrote it in place: one file in a directory, another manifest.
func TestOldLakesAreTakenOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(manyPeople(0, 6000, "a")...)
	h.publishParts()
	lake := h.dir.Lake("main")
	m := lakeManifest(t, h)
	for name := range m.Tables {
		must(t, os.Remove(filepath.Join(lake, name)))
		must(t, os.Mkdir(filepath.Join(lake, name), 0o755))
		must(t, os.WriteFile(filepath.Join(lake, name, "all.parquet"), []byte("not read"), 0o644))
		m.Tables[name] = publish.Table{ChangedAt: m.Tables[name].ChangedAt, Definition: m.Tables[name].Definition,
			Parts: []publish.Part{{File: filepath.Join(name, "all.parquet"), Bytes: 8}}}
	}
	must(t, os.RemoveAll(filepath.Join(lake, ".parts")))
	m.Format = 1
	text, err := json.Marshal(m)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(lake, "_manifest.json"), text, 0o644))
	s := smallParts(h.runSpec())
	s.Schemas[0].Relations = s.Schemas[0].Relations[:1]
	h.publishOnly(s)
	requireSameRows(t, h)
	if _, err := os.Lstat(filepath.Join(lake, "people_tagged")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a table that is no longer in the lake: %v", err)
	}
	requireNoLeftovers(t, h)
	h.openRun()
}

// requireNoLeftovers fails the test if a directory of parts is left that no table leads to.
func requireNoLeftovers(t *testing.T, h *publishFixture) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(h.dir.Lake("main"), ".parts"))
	must(t, err)
	if n := len(lakeManifest(t, h).Tables); len(entries) != n {
		t.Errorf("%d directories of parts for %d tables", len(entries), n)
	}
}

// TestNoPartKeepsReplacedValues looks for a name in every Parquet file below the lake, also in what a killed publish has left there.
// Holds: T34.
func TestNoPartKeepsReplacedValues(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	list := manyPeople(0, 6000, "a")
	list[3000].Name = "canary"
	h.commitPeople(list...)
	h.publishParts()
	parts := filepath.Join(h.dir.Lake("main"), ".parts")
	must(t, os.CopyFS(filepath.Join(parts, "people-left"), os.DirFS(filepath.Join(h.dir.Lake("main"), "people"))))
	count := func() (n int) {
		db := openAsAnalyst(t, "", "")
		for _, table := range []string{"people-*", "people_all-*"} {
			n += queryCount(t, db, "SELECT count(*) FROM read_parquet('"+filepath.Join(parts, table, "*.parquet")+"') WHERE name = 'canary'")
		}
		return n
	}
	if n := count(); n != 3 {
		t.Fatalf("the name is in %d files, want 3: the test finds nothing", n)
	}
	before := lakeInodes(t, h, "people")
	h.commitPeople(committest.Person{Region: "eu", ID: "3000", Updated: 4001, Name: "erased"})
	must(t, h.dir.BeginErasing())
	h.publishParts()
	if n := count(); n != 0 {
		t.Errorf("the name is still in %d files", n)
	}
	if n := newParts(before, lakeInodes(t, h, "people")); n != 1 {
		t.Errorf("%d parts are new, want the one with the person", n)
	}
	requireNoLeftovers(t, h)
}

// TestF12ReadersOfTheLakeDuringPublishes read a table again and again while others are published. Each answer is one publish's, or a missing
// file: never a mixture.
func TestF12ReadersOfTheLakeDuringPublishes(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	h := newHouse(t)
	const people = 8000
	h.commitPeople(manyPeople(0, people, "a")...)
	h.publishParts()
	stop, done := make(chan struct{}), make(chan error)
	var answers atomic.Int64
	go func() {
		db, err := sql.Open("duckdb", "")
		for err == nil {
			select {
			case <-stop:
				done <- db.Close()
				return
			default:
			}
			var rows, versions int
			glob := filepath.Join(h.dir.Lake("main"), "people", "*.parquet")
			err = db.QueryRow("SELECT count(*), count(DISTINCT name[1]) FROM read_parquet('"+glob+"') WHERE id::INTEGER % 2000 = 0 OR id::INTEGER < 0").Scan(&rows, &versions)
			if err == nil && (rows != people/2000 || versions != 1) {
				err = fmt.Errorf("%d rows of %d publishes", rows, versions)
			} else if err == nil {
				answers.Add(1)
			} else if strings.Contains(err.Error(), "No such file or directory") {
				err = nil
			}
		}
		done <- err
	}()
	for _, name := range []string{"b", "c", "d", "e"} {
		var list []committest.Person
		for i := 0; i < people; i += 2000 {
			list = append(list, committest.Person{Region: "eu", ID: strconv.Itoa(i), Updated: int64(1000 + i), Name: name})
		}
		h.commitPeople(list...)
		h.publishParts()
	}
	close(stop)
	if err := <-done; err != nil || answers.Load() == 0 {
		t.Errorf("readers during publishes: %d answers, %v", answers.Load(), err)
	}
}
