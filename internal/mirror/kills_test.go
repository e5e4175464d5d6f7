//go:build mirror

package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/load/layout"
)

// childTarget is the variable with the Target of TestAMirrorOfAChild.
const childTarget = "AQUEDUCK_MIRROR_CHILD"

// TestAMirrorOfAChild is a mirror in a process of its own, which TestKilledMirrorsAreMadeUpFor kills.
func TestAMirrorOfAChild(t *testing.T) {
	text := os.Getenv(childTarget)
	if text == "" {
		t.Skip("it is a part of TestKilledMirrorsAreMadeUpFor")
	}
	o := Target{Now: time.Now}
	must(t, json.Unmarshal([]byte(text), &target{&o.Dir, &o.Catalog, &o.Location, &o.Schemas}))
	_, err := MirrorTables(t.Context(), o)
	must(t, err)
}

// target is what a child gets of a Target.
type target struct {
	Dir               *layout.Dir
	Catalog, Location *string
	Schemas           *[]Schema
}

// randomNights change, add and delete rows, add a column and a table, and remove them.
var randomNights = []string{
	night,
	"UPDATE contacts SET score = score + 1 WHERE age % 9 = 4",
	"UPDATE contacts SET score = score + 1 WHERE age < 20; INSERT INTO nothing VALUES ('x', now())",
	"DELETE FROM tags WHERE rowid = 0; INSERT INTO tags (id) VALUES ('z'); INSERT INTO nothing VALUES ('y', now())",
	"INSERT INTO contacts SELECT * REPLACE (uuid()::VARCHAR AS id) FROM contacts USING SAMPLE 5 ROWS",
	"DROP VIEW IF EXISTS contact_counts; ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' WHERE age < 50",
	"CREATE TABLE later AS SELECT * FROM tags; DELETE FROM contacts WHERE age = 9",
	"DROP TABLE IF EXISTS later; UPDATE contacts SET active = NOT active WHERE age < 4",
}

// erasing is a night with an erasure.
const erasing = "DELETE FROM contacts WHERE id IN (SELECT min(id) FROM contacts)"

// TestKilledMirrorsAreMadeUpFor kills processes by SIGKILL at a random request that writes, before or after the store has done it, and some at a random time. After
// one more mirror every table is equal to the published file, by digests over all columns.
// Holds: P1.
func TestKilledMirrorsAreMadeUpFor(t *testing.T) {
	kills, seed := max(lane.Cases(6, 40), number(t, "AQUEDUCK_MIRROR_KILLS")), uint64(max(1, number(t, "AQUEDUCK_SEED")))
	random := rand.New(rand.NewPCG(seed, 1))
	y := newYard(t)
	y.options.Schemas[0].Keys = map[string][]string{"contacts": {"id"}}
	y.publish(first)
	y.mirror()
	reader := newFollower(y)
	at := map[string]int{}
	for done, trial := 0, 0; done < kills; trial++ {
		if trial%50 == 49 {
			t.Logf("%d kills in %d trials", done, trial)
		}
		if trial%150 == 149 { // the tables grow otherwise
			y.publish("DELETE FROM contacts WHERE length(id) > 10; UPDATE contacts SET age = age + 1")
			y.mirror()
		}
		kinds := randomNights
		if trial%60 < 45 { // a table whose columns change, or with an erasure, is written again: it has no files to merge
			kinds = randomNights[:4]
		}
		statements := kinds[random.IntN(len(kinds))]
		if strings.Contains(statements, "ADD COLUMN") && y.hasColumn("phone") {
			statements = "ALTER TABLE contacts DROP COLUMN phone"
		}
		if strings.Contains(statements, "CREATE TABLE") {
			statements = "DROP TABLE IF EXISTS later; " + statements
		}
		if len(kinds) > 4 && random.IntN(5) == 0 {
			statements = erasing
			must(t, os.WriteFile(y.dir.Erasures(), fmt.Appendf(nil, "{\"salt\":\"%d\"}\n", trial), 0o600))
		}
		y.publish(statements)
		merges, place := y.deleteFiles("contacts") >= mostDeletes-1, ""
		for range 1 + random.IntN(4)/3 {
			if place = y.killChild(random); place != "" {
				at[place]++
				done++
			}
			if place != "" && merges {
				at["in a mirror that merges files"]++
			}
		}
		y.mirror()
		v, err := VerifyTables(t.Context(), y.options)
		must(t, err)
		for _, wrong := range v.Differing() {
			y.logHistory(wrong.Table)
		}
		if len(v.Differing()) > 0 || len(v.Tables) < 3 {
			t.Fatalf("seed %d, trial %d, killed at %s, after %s: %+v", seed, trial, place, statements, v.Differing())
		}
		reader.follow(fmt.Sprintf("seed %d, trial %d, killed at %s, after %s", seed, trial, place, statements))
		if r := y.mirror(); r.Changed != 0 {
			t.Errorf("seed %d, trial %d, killed at %s: the next mirror changed something: %+v", seed, trial, place, r)
		}
	}
	t.Logf("%d kills from seed %d: no failure", kills, seed)
	for _, place := range slices.Sorted(maps.Keys(at)) {
		t.Logf("%5d kills %s", at[place], place)
	}
}

// logHistory logs the snapshots of a table, and the files of its newest one.
func (y *yard) logHistory(name string) {
	y.t.Helper()
	_, c, of := y.library(name)
	defer c.close()
	for _, s := range of.Metadata().Snapshots() {
		y.t.Logf("%s: snapshot %d, %s: %v", name, s.SnapshotID, s.Summary.Operation, s.Summary.Properties)
	}
	held, err := (&mirror{objects: must1(openObjects(y.t.Context(), y.options))}).readFiles(of)
	must(y.t, err)
	for _, f := range append(held.data, held.deletes...) {
		y.t.Logf("%s: %d rows in %s", name, f.Count(), f.FilePath())
	}
}

// deleteFiles is the number of files of deletes that a table has.
func (y *yard) deleteFiles(name string) int {
	y.t.Helper()
	_, c, of := y.library(name)
	defer c.close()
	held, err := (&mirror{objects: must1(openObjects(y.t.Context(), y.options))}).readFiles(of)
	must(y.t, err)
	return len(held.deletes)
}

// hasColumn says whether contacts has a column.
func (y *yard) hasColumn(name string) bool {
	columns, _ := y.tableSQL("contacts")
	return strings.Contains(columns, `"`+name+`"`)
}

// killChild starts a mirror in a process, and kills it. It says where; "" if the mirror ended before.
func (y *yard) killChild(random *rand.Rand) (place string) {
	y.t.Helper()
	text, err := json.Marshal(target{&y.options.Dir, &y.options.Catalog, &y.options.Location, &y.options.Schemas})
	must(y.t, err)
	c := exec.Command(os.Args[0], "-test.run=^TestAMirrorOfAChild$")
	c.Env = append(os.Environ(), childTarget+"="+string(text))
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	from, killed := y.requests.Load(), atomic.Pointer[string]{}
	write, after, timed := 1+random.Int64N(36), random.IntN(2) == 0, random.IntN(5) == 0
	patience := time.Duration(random.IntN(400)) * time.Millisecond
	kill := func(place string) {
		if killed.CompareAndSwap(nil, &place) {
			_ = c.Process.Kill() // it may have ended
		}
	}
	var begun atomic.Bool
	y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		isNow := !timed && r.Method != http.MethodGet && r.Method != http.MethodHead && y.requests.Load() >= from+write
		if timed && begun.CompareAndSwap(false, true) {
			time.AfterFunc(patience, func() { kill("at a random time") })
		}
		switch what := whatOf(r); {
		case isNow && after:
			store.ServeHTTP(httptest.NewRecorder(), r)
			kill("after " + what)
		case isNow:
			kill("before " + what)
		case killed.Load() == nil:
			store.ServeHTTP(w, r)
		}
	})
	defer y.changing(nil)
	must(y.t, c.Start())
	err = c.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return *killed.Load()
	}
	if err != nil {
		y.t.Fatalf("a child that was not killed: %v\n%s", err, said.String())
	}
	return ""
}

// whatOf says what a request that writes does.
func whatOf(r *http.Request) string {
	name := path.Base(r.URL.Path)
	what := "it writes rows or deletes"
	switch {
	case r.Method == http.MethodDelete, r.Method == http.MethodPost:
		return "it removes an object"
	case strings.HasSuffix(name, ".metadata.json"):
		what = "it writes the description"
	case strings.HasPrefix(name, "snap-"):
		what = "it writes the list of manifests"
	case strings.HasSuffix(name, ".avro"):
		what = "it writes a manifest"
	}
	for _, name := range []string{controlName, changesName} {
		if strings.Contains(r.URL.Path, "/"+name+"/") {
			return what + " of " + name
		}
	}
	return what + " of a table"
}
