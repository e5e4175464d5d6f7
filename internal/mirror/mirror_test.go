//go:build mirror

package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/lane"
	"aqueduck/load/differ"
	"aqueduck/load/layout"
)

var every = []string{"contacts", "contact_counts", "tags", "nothing"}

// TestEveryTableIsEqualAfterEachNight changes, adds and deletes rows for three nights. A second mirror of the same file commits nothing.
func TestEveryTableIsEqualAfterEachNight(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	if r := y.mirror(); r.Tables != 4 || r.Changed != 3 || r.Added != 1000+2+5 || r.Removed != 0 {
		t.Errorf("the first mirror: %+v", r)
	}
	y.expectEqual(every...)
	for _, night := range []string{
		"UPDATE contacts SET name = 'renamed', _hash = 'x' WHERE age BETWEEN 10 AND 19; DELETE FROM contacts WHERE age > 990",
		"INSERT INTO contacts SELECT * REPLACE ('new' || id AS id) FROM contacts WHERE age < 5; DELETE FROM tags WHERE rowid = 0; INSERT INTO tags (id) VALUES ('b'), ('c')",
		"UPDATE contacts SET extra = NULL WHERE age < 30; INSERT INTO nothing VALUES ('something', now()); DELETE FROM tags",
	} {
		y.publish(night)
		if r := y.mirror(); r.Changed == 0 || len(r.Notes) > 0 {
			t.Errorf("the night of %s: %+v", night, r)
		}
		y.expectEqual(every...)
		before := y.requests.Load()
		if r := y.mirror(); r.Changed != 0 || y.requests.Load() != before {
			t.Errorf("the second mirror: %+v, with %d requests that write", r, y.requests.Load()-before)
		}
	}
}

// TestColumnsFollowThePublishedFile adds, removes and widens columns.
func TestColumnsFollowThePublishedFile(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	y.publish("DROP VIEW contact_counts; ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' || age WHERE age < 100; ALTER TABLE contacts DROP COLUMN active; ALTER TABLE contacts ALTER age TYPE VARCHAR")
	r := y.mirror()
	y.expectEqual("contacts", "tags", "nothing")
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "contact_counts is no longer in the published file") {
		t.Errorf("it says %s", notes)
	}
}

// TestAKilledChangeOfColumnsIsVerified: a mirror that was killed between the change of the columns and that of the rows leaves files without a column, and the next
// one files with it beside them. Both can be compared.
func TestAKilledChangeOfColumnsIsVerified(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	y.publish("ALTER TABLE tags ADD COLUMN later VARCHAR; UPDATE tags SET later = 'x'; ALTER TABLE tags ALTER n TYPE DOUBLE")
	file, err := differ.OpenPublished(t.Context(), y.dir.Current())
	must(t, err)
	relations, err := file.ListRelations(t.Context(), "main", nil, nil)
	must(t, errors.Join(err, file.Close()))
	ctx, _, of := y.library("tags")
	_, err = (&mirror{}).changeColumns(ctx, relations[slices.IndexFunc(relations, func(r differ.Relation) bool { return r.Name == "tags" })], of)
	must(t, err)
	for i, want := range [][]string{{"tags"}, nil} {
		v, err := VerifyTables(t.Context(), y.options)
		must(t, err)
		if len(v.Differing()) != len(want) || len(want) > 0 && v.Differing()[0].Table != want[0] {
			t.Errorf("after %d mirrors: %+v", i, v.Differing())
		}
		y.mirror()
	}
	y.expectEqual(every...)
}

// night is a change of a few rows of two tables.
const night = "UPDATE contacts SET name = 'renamed', _hash = 'x' WHERE age < 10; DELETE FROM contacts WHERE age > 990; INSERT INTO tags (id) VALUES ('n')"

// TestAMirrorThatWasKilledIsMadeUpFor stops the store for good at each request that writes, one after the other.
func TestAMirrorThatWasKilledIsMadeUpFor(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	for n, done := int64(0), false; !done && n < 100; n++ {
		y.publish(night + "; UPDATE contacts SET score = -score WHERE age < 500; INSERT INTO nothing VALUES ('x', NULL)")
		limit := y.requests.Load() + n
		y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
			if y.requests.Load() > limit {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			store.ServeHTTP(w, r)
		})
		_, err := MirrorTables(t.Context(), y.options)
		if done = err == nil; !done {
			expectProblem(t, err, "auth", "AWS_ACCESS_KEY_ID")
		}
		y.changing(nil)
		y.mirror()
		y.expectEqual(every...)
	}
}

// TestALostAnswerIsNoSecondCommit has the store apply a request that writes and then answer with an error, with a refusal, or not at all, for each request of a mirror.
// Holds: P4.
func TestALostAnswerIsNoSecondCommit(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	for n := int64(1); n < 32; n += int64(lane.Cases(4, 1)) {
		y.publish(night + "; INSERT INTO tags (id) VALUES ('again')")
		lost := y.requests.Load() + n
		y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
			if y.requests.Load() != lost || r.Method == http.MethodGet || r.Method == http.MethodHead {
				store.ServeHTTP(w, r)
				return
			}
			store.ServeHTTP(httptest.NewRecorder(), r)
			switch n % 3 {
			case 0:
				panic(http.ErrAbortHandler)
			case 1:
				w.WriteHeader(http.StatusInternalServerError)
			default:
				w.WriteHeader(http.StatusPreconditionFailed)
			}
		})
		if _, err := MirrorTables(t.Context(), y.options); err != nil {
			expectProblem(t, err, "transient", "mirror")
		}
		y.changing(nil)
		y.mirror()
		y.expectEqual(every...)
		if r := y.mirror(); r.Changed != 0 {
			t.Errorf("request %d: the next mirror: %+v", n, r)
		}
	}
}

// library opens a table with the library alone, as another program does.
func (y *yard) library(name string) (context.Context, tableCatalog, *table.Table) {
	y.t.Helper()
	ctx, _, err := openObjects(y.t.Context(), y.options)
	must(y.t, err)
	c, err := openCatalog(y.t.Context(), y.options.Catalog)
	must(y.t, err)
	y.t.Cleanup(func() { _ = c.close() })
	t, err := c.load(ctx, []string{"ws_ws1", name})
	must(y.t, err)
	return ctx, c, t
}

// TestWhatOtherProgramsDoIsNoticed: a dropped table, one that was rolled back, one whose rows were deleted, and an emptied catalog. All are made up for.
// Holds: P10.
func TestWhatOtherProgramsDoIsNoticed(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	y.publish(night)
	y.mirror()
	for what, tt := range map[string]struct {
		do   func(ctx context.Context, c tableCatalog, t *table.Table) error
		note string
	}{
		"dropped": {func(ctx context.Context, c tableCatalog, t *table.Table) error {
			return c.DropTable(ctx, t.Identifier())
		}, "was gone"},
		"rolled back": {func(ctx context.Context, _ tableCatalog, t *table.Table) error {
			tx := t.NewTransaction()
			err := tx.RollbackToSnapshot(*t.CurrentSnapshot().ParentSnapshotID)
			if err == nil {
				_, err = tx.Commit(ctx)
			}
			return err
		}, "table contacts of ws_ws1 was rolled back by another program"},
		"deleted rows": {func(ctx context.Context, _ tableCatalog, t *table.Table) error {
			_, err := t.Delete(ctx, iceberg.LessThan(iceberg.Reference("age"), int64(100)), nil)
			return err
		}, "was changed by another program"},
		"emptied catalog": {func(context.Context, tableCatalog, *table.Table) error {
			return os.Remove(strings.TrimPrefix(y.options.Catalog, "sqlite:"))
		}, "the catalog lacked the tables of ws_ws1"},
	} {
		y.publish("UPDATE contacts SET name = 'for " + what + "' WHERE age = 500")
		y.mirror()
		ctx, c, of := y.library("contacts")
		must(t, tt.do(ctx, c, of))
		r := y.mirror()
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, tt.note) || r.Changed == 0 {
			t.Errorf("%s: %+v", what, r)
		}
		y.expectEqual(every...)
	}
}

// TestForeignTablesAreRefused: of another workspace, of another warehouse, and of nobody that this program knows.
func TestForeignTablesAreRefused(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	other := newYardAt(t, y)
	other.publish(first)
	_, err := MirrorTables(t.Context(), other.options)
	expectProblem(t, err, "config", "another warehouse of this workspace")
	other.options.Location = "s3://lake/elsewhere"
	_, err = MirrorTables(t.Context(), other.options)
	expectProblem(t, err, "config", "namespace ws_ws1 of the catalog has the tables of another warehouse")
	other.publish("UPDATE _sync.workspaces SET id = 'WS1'") // the same namespace
	_, err = MirrorTables(t.Context(), other.options)
	expectProblem(t, err, "config", "another workspace")
	y.expectEqual(every...)
}

// TestTablesOfAnotherLocationAreRefused names another location with the same catalog: the tables would stay where they are.
func TestTablesOfAnotherLocationAreRefused(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	was := y.options.Location
	y.options.Location = "s3://lake/elsewhere"
	_, err := MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "config", "is at "+was+"/ws_ws1/")
	expectProblem(t, CheckTables(t.Context(), y.options), "config", "is at "+was+"/ws_ws1/")
	y.options.Location = was + "/"
	y.mirror()
	y.expectEqual(every...)
}

// TestUnfitTablesAreRefused before anything is written: with copies on write rows would come back (apache/iceberg-go#2042). A check says the same.
// Holds: P11.
func TestUnfitTablesAreRefused(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	must(t, CheckTables(t.Context(), y.options))
	y.mirror()
	must(t, CheckTables(t.Context(), y.options))
	y.publish(night)
	for key, words := range map[string]string{table.WriteDeleteModeKey: `write.delete.mode = "copy-on-write"`, "write.update.mode": `write.update.mode = "copy-on-write"`, "write.merge.mode": `write.merge.mode = "copy-on-write"`} {
		ctx, _, of := y.library("tags") // the last one that has changed
		set := func(value string) {
			tx := of.NewTransaction()
			must(t, tx.SetProperties(iceberg.Properties{key: value}))
			var err error
			of, err = tx.Commit(ctx)
			must(t, err)
		}
		set(table.WriteModeCopyOnWrite)
		before := y.requests.Load()
		_, err := MirrorTables(t.Context(), y.options)
		expectProblem(t, err, "config", "table tags of ws_ws1 has the property "+words)
		expectProblem(t, CheckTables(t.Context(), y.options), "config", words)
		if now := y.requests.Load(); now != before {
			t.Errorf("%d requests wrote something before the table was refused", now-before)
		}
		set(table.WriteModeMergeOnRead)
	}
	y.mirror()
	y.expectEqual(every...)
}

// TestAnUnfitWorkspaceDoesNotHoldBackOthers: of four workspaces, the second and the third have a table with copies on write. The others are mirrored, those two are not changed, and
// both are told.
// Holds: P11.
func TestAnUnfitWorkspaceDoesNotHoldBackOthers(t *testing.T) {
	y := newYard(t)
	y.options.Schemas = nil
	statements := "CREATE SCHEMA _sync; CREATE TABLE _sync.workspaces (schema VARCHAR, id VARCHAR)"
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		statements += fmt.Sprintf("; INSERT INTO _sync.workspaces VALUES ('%s', 'id_%[1]s'); CREATE SCHEMA %[1]s; CREATE TABLE %[1]s.tags (id VARCHAR); CREATE TABLE %[1]s.teams (id VARCHAR)", name)
		y.options.Schemas = append(y.options.Schemas, Schema{Name: name})
	}
	y.publish(statements + "; INSERT INTO a.tags VALUES ('1'); INSERT INTO b.tags VALUES ('1'); INSERT INTO c.tags VALUES ('1'); INSERT INTO d.tags VALUES ('1')")
	y.mirror()
	ctx, store, err := openObjects(t.Context(), y.options)
	must(t, err)
	c, err := openCatalog(ctx, y.options.Catalog)
	must(t, err)
	defer c.close()
	setMode := func(name, mode string) {
		of, err := c.load(ctx, table.Identifier{"ws_id_" + name, "teams"})
		must(t, err)
		tx := of.NewTransaction()
		must(t, tx.SetProperties(iceberg.Properties{table.WriteDeleteModeKey: mode}))
		_, err = tx.Commit(ctx)
		must(t, err)
	}
	setMode("b", table.WriteModeCopyOnWrite)
	setMode("c", table.WriteModeCopyOnWrite)
	before := map[string][]string{}
	for _, name := range names {
		before[name], err = store.list("s3://lake/mirror/ws_id_"+name, time.Time{})
		must(t, err)
	}
	y.publish("UPDATE a.tags SET id = '2'; UPDATE b.tags SET id = '2'; UPDATE c.tags SET id = '2'; UPDATE d.tags SET id = '2'")
	r, err := MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "config", "table teams of ws_id_b has the property")
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "table teams of ws_id_c has the property") || r.Changed != 2 {
		t.Errorf("%+v", r)
	}
	for _, name := range names {
		now, err := store.list("s3://lake/mirror/ws_id_"+name, time.Time{})
		must(t, err)
		if unfit := name == "b" || name == "c"; slices.Equal(now, before[name]) != unfit {
			t.Errorf("workspace %s: objects %q, and %q before", name, now, before[name])
		}
	}
	setMode("b", table.WriteModeMergeOnRead)
	setMode("c", table.WriteModeMergeOnRead)
	if r := y.mirror(); r.Changed != 2 {
		t.Errorf("%+v", r)
	}
	v, err := VerifyTables(t.Context(), y.options)
	must(t, err)
	if len(v.Tables) != 8 || len(v.Differing()) > 0 {
		t.Errorf("%+v", v)
	}
}

// TestACheckFindsWhatAMirrorWouldRefuse, before the first mirror and after it.
func TestACheckFindsWhatAMirrorWouldRefuse(t *testing.T) {
	y := newYard(t)
	must(t, CheckTables(t.Context(), y.options)) // nothing is published
	y.publish(first)
	y.mirror()
	other := newYardAt(t, y)
	other.publish(first)
	expectProblem(t, CheckTables(t.Context(), other.options), "config", "another warehouse of this workspace")
	for _, published := range []bool{false, true} {
		fresh := newYardAt(t, y)
		if published {
			fresh.publish(first)
		}
		fresh.options.Location = "s3://no-such-bucket/lake"
		expectProblem(t, CheckTables(t.Context(), fresh.options), "config", "create the bucket")
		fresh.options.Location, fresh.options.Catalog = "s3://lake/mirror", "rest:http://127.0.0.1:1"
		expectProblem(t, CheckTables(t.Context(), fresh.options), "transient", "rest:http://127.0.0.1:1")
	}
}

// TestAnOlderHeadIsFenced: the machine that lost the object store, or slept, changes no table.
// Holds: P3.
func TestAnOlderHeadIsFenced(t *testing.T) {
	y := newYard(t)
	y.options.Store, y.options.Epoch = "s3://lake/w", 5
	y.publish(first)
	y.mirror()
	late := newYardAt(t, y)
	late.options.Store, late.options.Epoch = "s3://lake/w", 4
	late.publish(first)
	late.publish(night)
	_, err := MirrorTables(t.Context(), late.options)
	expectProblem(t, err, "busy", "later head")
	y.expectEqual(every...)
	late.options.Epoch = 6
	late.mirror()
	late.expectEqual(every...)
}

// TestAMirrorThatIsOvertakenStops: another one begins after its first commit.
func TestAMirrorThatIsOvertakenStops(t *testing.T) {
	y := newYard(t)
	y.options.Store = "s3://lake/w"
	y.publish(first)
	y.mirror()
	y.publish(night)
	other := newYardAt(t, y)
	other.options.Store, other.options.Epoch = "s3://lake/w", 1
	other.publish(first)
	other.publish("DELETE FROM contacts WHERE age < 300; UPDATE tags SET id = 'other'")
	once := atomic.Bool{}
	begun := y.requests.Load() + 5
	y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		if y.requests.Load() > begun && once.CompareAndSwap(false, true) {
			if _, err := MirrorTables(t.Context(), other.options); err != nil {
				t.Error(err)
			}
		}
		store.ServeHTTP(w, r)
	})
	_, err := MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "busy", "meanwhile")
	y.changing(nil)
	if _, err = MirrorTables(t.Context(), y.options); err == nil {
		t.Error("it was not fenced later")
	}
	other.mirror()
	other.expectEqual(every...)
}

// TestAnErasureLeavesNoByte: the words of an erased person are in no object, with a table of others beside.
// Holds: P8.
func TestAnErasureLeavesNoByte(t *testing.T) {
	y := newYard(t)
	y.publish(first + "; UPDATE contacts SET name = 'Zyxwvut Erasable', extra = '{\"mail\": \"zyx@erasable.example\"}' WHERE age = 77")
	y.mirror()
	y.publish(night)
	y.mirror()
	y.publish("UPDATE contacts SET score = 5 WHERE age = 77; INSERT INTO contacts SELECT * REPLACE ('added' || id AS id) FROM contacts WHERE age > 500")
	y.mirror()
	y.publish("INSERT INTO contacts SELECT * REPLACE ('more' || id AS id) FROM contacts WHERE age > 500")
	y.mirror()
	words := []string{"Zyxwvut", "zyx@erasable"}
	if found := y.find(words); found == 0 {
		t.Fatal("the test finds nothing in compressed files: it proves nothing")
	}
	must(t, layout.ReplaceFile(y.dir, y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n{\"person\":\"1\"}\n")))
	y.publish("UPDATE contacts SET name = NULL, extra = NULL WHERE age = 77")
	before := y.objectKeys("s3://lake/mirror/ws_ws1")
	y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) { // nothing can be deleted
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		store.ServeHTTP(w, r)
	})
	_, err := MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "auth", "delete")
	y.changing(nil)
	r := y.mirror()
	if r.Added > 1500 {
		t.Errorf("files without a row of the person were written again: %+v", r)
	}
	y.expectEqual(every...)
	// What is gone is in a list, and what is listed is gone.
	var listed []string
	for _, key := range y.objectKeys("s3://lake/mirror/ws_ws1/_erased") {
		_, store, err := openObjects(t.Context(), y.options)
		must(t, err)
		text, err := store.ReadFile("s3://lake/" + key)
		must(t, err)
		var list erasedObjects
		must(t, json.Unmarshal(text, &list))
		if listed = append(listed, list.Objects...); list.File == "" || list.RecordedAt.IsZero() {
			t.Errorf("%s: %s", key, text)
		}
	}
	after := y.objectKeys("s3://lake/mirror/ws_ws1")
	gone := 0
	for _, key := range before {
		if !slices.Contains(after, key) {
			if gone++; !slices.Contains(listed, key) {
				t.Errorf("%s is gone, and in no list", key)
			}
		}
	}
	for _, key := range listed {
		if slices.Contains(after, key) {
			t.Errorf("%s is in a list, and there", key)
		}
	}
	if gone == 0 || r.Erased == 0 || !strings.Contains(strings.Join(r.Notes, "\n"), fmt.Sprintf("%d objects of ws_ws1 were deleted", r.Erased)) {
		t.Errorf("%d objects are gone: %+v", gone, r)
	}
	if found := y.find(words); found != 0 {
		t.Errorf("%d objects have words of the person", found)
	}
	if r := y.mirror(); r.Changed != 0 {
		t.Errorf("the next mirror: %+v", r)
	}
	y.publish(night)
	y.mirror()
	y.expectEqual(every...)
}

// objectKeys are the keys of all objects below an address.
func (y *yard) objectKeys(below string) (keys []string) {
	y.t.Helper()
	_, store, err := openObjects(y.t.Context(), y.options)
	must(y.t, err)
	addresses, err := store.list(below, time.Time{})
	must(y.t, err)
	for _, address := range addresses {
		key, err := store.key(address)
		must(y.t, err)
		keys = append(keys, key)
	}
	return keys
}

// TestALaterMaskLeavesNoOlderValue: values that are hashed or dropped from now on are in no object. The same masks again are no reason to write anything.
func TestALaterMaskLeavesNoOlderValue(t *testing.T) {
	y := newYard(t)
	y.publish(first + "; UPDATE contacts SET name = 'Zyxwvut ' || age WHERE age % 3 = 0")
	y.mirror()
	y.publish(night)
	y.mirror()
	if y.find([]string{"Zyxwvut"}) == 0 {
		t.Fatal("the test finds nothing in compressed files: it proves nothing")
	}
	y.options.Masks = []string{"contacts drop name", "contacts hash email"}
	y.publish("UPDATE contacts SET name = NULL")
	y.mirror()
	y.expectEqual(every...)
	if found := y.find([]string{"Zyxwvut"}); found != 0 {
		t.Errorf("%d objects have masked values", found)
	}
	y.options.Masks = []string{"contacts hash email", "contacts drop name"}
	if r := y.mirror(); r.Changed != 0 {
		t.Errorf("the same masks: %+v", r)
	}
}

// TestTheMirrorIsVerified: equal after nights with deletes, and not before the first mirror, after a publish that was not mirrored, or without a dropped table.
func TestTheMirrorIsVerified(t *testing.T) {
	y := newYard(t)
	verify := func(want ...string) {
		t.Helper()
		v, err := VerifyTables(t.Context(), y.options)
		must(t, err)
		var differ []string
		for _, one := range v.Differing() {
			differ = append(differ, one.Table)
		}
		if v.Engine != "" || v.NoEngine != "there is no python3" {
			t.Errorf("the engine is %q, and none because %q", v.Engine, v.NoEngine)
		}
		slices.Sort(want)
		if len(v.Tables) != len(every) || !slices.Equal(differ, want) {
			t.Errorf("of %d tables, %q differ, wanted %q: %+v", len(v.Tables), differ, want, v.Differing())
		}
	}
	t.Setenv("PATH", t.TempDir()) // TestOtherEnginesVerifyTheMirror has an engine
	y.publish(first)
	verify(slices.Clone(every)...)
	y.mirror()
	verify()
	y.publish(night)
	y.mirror()
	verify()
	if _, _, of := y.library("contacts"); len(of.Metadata().Snapshots()) < 2 {
		t.Error("there are no deletes: the test proves little")
	}
	y.publish("UPDATE contacts SET score = 77.5 WHERE age = 5")
	verify("contacts")
	y.mirror()
	verify()
	ctx, c, _ := y.library("tags")
	must(t, c.DropTable(ctx, table.Identifier{"ws_ws1", "tags"}))
	verify("tags")
	y.mirror()
	verify()
	if left, err := os.ReadDir(y.dir.Temp()); err != nil || len(left) > 0 {
		t.Errorf("it left %v: %v", left, err)
	}
}

// TestMaintenanceBoundsFiles: many nights leave few files and few snapshots. A file is written again once many of its rows are gone, and not before.
// Holds: P7.
func TestMaintenanceBoundsFiles(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	m := &mirror{objects: must1(openObjects(t.Context(), y.options))}
	files := func(name string) (held tableFiles, snapshots int) {
		_, _, of := y.library(name)
		held, err := m.readFiles(of)
		must(t, err)
		return held, len(of.Metadata().Snapshots())
	}
	held, _ := files("contacts")
	base := held.data[0].FilePath()
	for n := range 26 {
		y.publish("UPDATE contacts SET score = score + 1 WHERE age < 3; " + fmt.Sprintf("INSERT INTO nothing VALUES ('%d', now())", n))
		y.mirror()
	}
	y.expectEqual(every...)
	held, snapshots := files("contacts")
	if len(held.deletes) > mostDeletes || len(held.data) > mostDeletes+2 || snapshots > 30 {
		t.Errorf("%d files of rows, %d of deletes, %d snapshots", len(held.data), len(held.deletes), snapshots)
	}
	isBase := func(f iceberg.DataFile) bool { return f.FilePath() == base }
	if !slices.ContainsFunc(held.data, isBase) {
		t.Error("a file of 1,000 rows, of which three were gone, was written again")
	}
	must(t, m.objects.WriteFile(strings.TrimSuffix(base, ".parquet")+"-left.parquet", []byte("of a mirror that was killed")))
	y.options.Now = func() time.Time { return time.Now().Add(4 * 24 * time.Hour) }
	for n := range 27 {
		y.publish(fmt.Sprintf("UPDATE contacts SET score = score + 1 WHERE age %% 33 = %d; INSERT INTO nothing VALUES ('%[1]d', now())", n))
		y.mirror()
	}
	y.expectEqual(every...)
	if held, _ = files("contacts"); slices.ContainsFunc(held.data, isBase) {
		t.Error("a file of 1,000 rows, of which many are gone, was not written again")
	}
	for name, most := range map[string]int{"nothing": mostFiles, controlName: mostFiles + 1} {
		if held, snapshots = files(name); len(held.data) > most || name == controlName && snapshots > mostSnapshots {
			t.Errorf("table %s has %d files and %d snapshots", name, len(held.data), snapshots)
		}
	}
	if y.find([]string{"of a mirror that was killed"}) > 0 {
		t.Error("an object that no snapshot refers to was not removed")
	}
	v, err := VerifyTables(t.Context(), y.options)
	if must(t, err); len(v.Differing()) > 0 {
		t.Errorf("%+v", v.Differing())
	}
}

// TestOlderSnapshotsThatStayAreNoted: the store refuses while they are removed. The rows are right then, and the next mirror tries again.
func TestOlderSnapshotsThatStayAreNoted(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	said := ""
	for n := 0; said == "" && n < 12; n++ {
		y.publish("UPDATE contacts SET score = score + 1 WHERE age < 3")
		_, _, control := y.library(controlName)
		if len(control.Metadata().Snapshots()) > mostSnapshots-2 { // the description of _mirror without the older snapshots is the second one of a commit
			written := atomic.Int64{}
			y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/"+controlName+"/") && strings.HasSuffix(r.URL.Path, ".metadata.json") && written.Add(1) > 1 {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				store.ServeHTTP(w, r)
			})
		}
		r, err := MirrorTables(t.Context(), y.options)
		y.changing(nil)
		if said = strings.Join(r.Notes, "\n"); said == "" {
			must(t, err)
		}
	}
	if !strings.Contains(said, "older snapshots of table _mirror stay") {
		t.Errorf("it says %q", said)
	}
	y.mirror()
	y.expectEqual(every...)
}

// TestALargeObjectArrivesWhole: it is sent in parts, and read by several requests.
func TestALargeObjectArrivesWhole(t *testing.T) {
	y := newYard(t)
	_, store, err := openObjects(t.Context(), y.options)
	must(t, err)
	content := make([]byte, 2*partSize+12345)
	for i := range content {
		content[i] = byte(i * i >> 7)
	}
	w, err := store.Create("s3://lake/mirror/large")
	must(t, err)
	_, err = w.Write(content)
	must(t, errors.Join(err, w.Close()))
	found, err := store.ReadFile("s3://lake/mirror/large")
	must(t, err)
	if !bytes.Equal(found, content) {
		t.Errorf("%d bytes are not those that were sent, %d", len(found), len(content))
	}
}

// TestAnErrorSaysWhatToDo, and the next mirror makes up for it.
func TestAnErrorSaysWhatToDo(t *testing.T) {
	refuse := func(status int, code string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>` + code + `</Code><Message>as the store says</Message></Error>`))
		}
	}
	hang := func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		if r.Method == http.MethodPut { // in the middle of the mirror
			_, _ = io.Copy(io.Discard, r.Body) // the server sees the client's end only then
			<-r.Context().Done()
			return
		}
		store.ServeHTTP(w, r)
	}
	y := newYard(t)
	y.publish(first)
	y.mirror()
	for name, tt := range map[string]struct {
		change       func(http.ResponseWriter, *http.Request, http.Handler)
		class, words string
	}{
		"no bucket":     {refuse(404, "NoSuchBucket"), "config", "correct warehouse.mirror.location"},
		"expired token": {refuse(400, "ExpiredToken"), "auth", "as the store says"},
		"full":          {refuse(507, "XMinioStorageFull"), "transient", "free some space"},
		"quota":         {refuse(403, "QuotaExceeded"), "transient", "free some space"},
		"hangs":         {hang, "transient", "see whether the object store can be reached"},
	} {
		y.publish("UPDATE contacts SET name = '" + name + "' WHERE age = 3")
		y.changing(tt.change)
		impatient := y.options
		impatient.Patience = 100 * time.Millisecond
		_, err := MirrorTables(t.Context(), impatient)
		expectProblem(t, err, tt.class, tt.words)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error has the credentials: %v", name, err)
		}
		y.changing(nil)
		y.mirror()
		y.expectEqual(every...)
	}
	y.options.Catalog = "sqlite:/nowhere/catalog.db"
	_, err := MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "config", "/nowhere/catalog.db")
	damaged := filepath.Join(t.TempDir(), "catalog.db")
	must(t, os.WriteFile(damaged, []byte(strings.Repeat("no database ", 1000)), 0o600))
	y.options.Catalog = "sqlite:" + damaged
	_, err = MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "transient", "the catalog sqlite:"+damaged)
	if found := y.find([]string{"secret"}); found > 0 {
		t.Errorf("%d objects have the credentials", found)
	}
}

// TestCompactionByAnotherProgramIsNoChange: the rows are the same, in other files. The next night goes on from there.
func TestCompactionByAnotherProgramIsNoChange(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	y.publish(night)
	y.mirror()
	ctx, _, of := y.library("contacts")
	held, err := (&mirror{objects: must1(openObjects(t.Context(), y.options))}).readFiles(of)
	must(t, err)
	kind, rows, err := of.Scan().ToArrowRecords(ctx)
	must(t, err)
	tx := of.NewTransaction()
	rewrite := tx.NewRewrite(nil)
	for _, f := range append(held.data, held.deletes...) {
		rewrite.DeleteFile(f)
	}
	for f, err := range table.WriteRecords(ctx, of, kind, rows) {
		must(t, err)
		rewrite.AddDataFile(f)
	}
	must(t, rewrite.Commit(ctx))
	of, err = tx.Commit(ctx)
	must(t, err)
	if of.CurrentSnapshot().Summary.Operation != table.OpReplace {
		t.Fatalf("it was %s", of.CurrentSnapshot().Summary.Operation)
	}
	if r := y.mirror(); r.Changed != 0 {
		t.Errorf("the same file: %+v", r)
	}
	y.publish("UPDATE contacts SET name = 'later' WHERE age = 33")
	if r := y.mirror(); r.Added != 1 || len(r.Notes) > 0 {
		t.Errorf("the next night: %+v", r)
	}
	y.expectEqual(every...)
}
