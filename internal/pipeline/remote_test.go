package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// objectStore is one store for all tests of this process, as its address comes from the environment. Each test has a bucket of its own.
var objectStore = sync.OnceValue(func() *s3mem.Backend {
	backend := s3mem.New()
	server := httptest.NewServer(gofakes3.New(backend).Server()) // it ends with the process
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"} {
		_ = os.Setenv(name, value) // of a fixed name it cannot fail
	}
	return backend
})

var buckets atomic.Int64

// withStore gives the warehouse of a bed a place in an object store.
func (b *testBed) withStore() *testBed {
	b.t.Helper()
	bucket := "bucket" + string(rune('a'+buckets.Add(1)))
	b.failOn(objectStore().CreateBucket(bucket))
	b.writeConfig(strings.Replace(b.readConfig(), "{dir: data", "{dir: data, remote: \"s3://"+bucket+"/w\"", 1))
	return b
}

// bucketOf is the name of the bucket of a bed.
func (b *testBed) bucketOf() string {
	return strings.TrimSuffix(strings.TrimPrefix(b.runner.Config.Warehouse.Remote, "s3://"), "/w")
}

// storeHas reports whether any object of the bed's bucket contains a text.
func (b *testBed) storeHas(text string) bool {
	b.t.Helper()
	list, err := objectStore().ListBucket(b.bucketOf(), nil, gofakes3.ListBucketPage{})
	b.failOn(err)
	dir := b.t.TempDir()
	for i, object := range list.Contents {
		got, err := objectStore().GetObject(b.bucketOf(), object.Key, nil)
		b.failOn(err)
		var content bytes.Buffer
		_, err = content.ReadFrom(got.Contents)
		b.failOn(errors.Join(err, os.WriteFile(filepath.Join(dir, string(rune('a'+i))), content.Bytes(), 0o600)))
	}
	return len(b.filesContaining(dir, text)) > 0
}

// anotherMachine is a bed with the same workspace and configuration, in a directory of its own.
func (b *testBed) anotherMachine() *testBed {
	b.t.Helper()
	other := &testBed{t: b.t, space: b.space, url: b.url, publish: b.publish, file: filepath.Join(b.t.TempDir(), "pipelines.yaml"), log: &bytes.Buffer{}}
	b.t.Cleanup(func() { other.failOn(other.reader.Close()) })
	other.writeConfig(b.readConfig())
	return other
}

// TestAnEmptyMachineGoesOnFromTheObjectStore with the requests of a normal night, and the first machine then from the file of the other.
// Holds: P9.
func TestAnEmptyMachineGoesOnFromTheObjectStore(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := contactBed{newBed(t, tinyConfig(501)).withStore()}
	b.syncOnce(runner.Options{})
	b.space.Advance(time.Hour)
	asked := len(b.space.Requests())
	b.syncOnce(runner.Options{})
	night := len(b.space.Requests()) - asked
	b.createUser()
	b.space.Advance(time.Hour)
	other := b.anotherMachine()
	asked = len(b.space.Requests())
	report := other.syncOnce(runner.Options{})
	if requests := len(b.space.Requests()) - asked; requests > night+3 {
		t.Errorf("the empty machine sent %d requests, a night has %d", requests, night)
	}
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "this run began from the file that another machine sent to s3://") {
		t.Errorf("its report says %q", notes)
	}
	other.equalsOracle()
	status, err := runlog.ReadStatus(t.Context(), other.runner.Dir, other.runner.Config, other.runner.Catalogue, b.space.CurrentTime())
	b.failOn(err)
	// The first machine has moved the head twice: its file came with erasures, and then the store was clean.
	if status.Remote == nil || !status.Remote.Whole || status.Remote.Epoch != 3 || status.Remote.Run != report.RunID+"-01" {
		t.Errorf("its status has %+v of the store", status.Remote)
	}
	b.createUser()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	if got, want := b.queryRows("SELECT count(DISTINCT run_id) FROM _sync.runs"), "3"; got[0] < want {
		t.Errorf("its file has %s runs: it did not go on from the other machine's", got)
	}
}

// TestErasedPersonIsInNoObject erases a person on one machine, with files on another one and in the store.
// Holds: P8.
func TestErasedPersonIsInNoObject(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := contactBed{newBed(t, tinyConfig(502)).keepingOlder().withStore()}
	id := b.createUser()
	b.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: canary + "name"}), b.space.UpdateContact(b.createUser(), emulator.FieldChange{Field: "name", Value: visible + "name"}))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	other := b.anotherMachine()
	b.createUser()
	b.space.Advance(time.Hour)
	other.syncOnce(runner.Options{})
	if !b.storeHas(canary) {
		t.Fatal("the store has nothing of the person: the test finds nothing")
	}
	_, err := admin.Erase(context.Background(), b.runner, id, func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	if b.storeHas(canary) {
		t.Error("an object has the erased person")
	}
	other.syncOnce(runner.Options{})
	other.noCanary(string(other.runner.Dir))
	other.noCanaryInTables()
	b.syncOnce(runner.Options{})
	b.noCanary(string(b.runner.Dir))
}

// TestAPullThatDiedLeavesNoErasedPerson on a copy that keeps older files: the next pull removes them, although it has the newest file already.
// Holds: P8.
func TestAPullThatDiedLeavesNoErasedPerson(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := contactBed{newBed(t, tinyConfig(507)).keepingOlder().withStore()}
	id := b.createUser()
	b.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: canary + "name"}))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	laptop := b.anotherMachine()
	_, err := admin.Pull(t.Context(), laptop.runner)
	b.failOn(err)
	_, err = admin.Erase(t.Context(), b.runner, id, func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	store, err := remote.OpenStore(laptop.runner.Config.Warehouse.Remote)
	b.failOn(err)
	_, err = store.Take(t.Context(), laptop.runner.Dir, b.space.CurrentTime()) // so far a pull came that died
	b.failOn(err)
	if files := laptop.filesContaining(string(laptop.runner.Dir), canary); len(files) == 0 {
		t.Fatal("the copy has nothing of the person: the test finds nothing")
	}
	pulled, err := admin.Pull(t.Context(), laptop.runner)
	b.failOn(err)
	laptop.noCanary(string(laptop.runner.Dir))
	if pulled.New || laptop.runner.Dir.Erasing() {
		t.Errorf("it pulled %+v, and the erasure is not finished: %t", pulled, laptop.runner.Dir.Erasing())
	}
}

// TestADroppedValueIsInNoObject: a machine that has none of the older files of the store drops a column that they have.
// Holds: P8.
func TestADroppedValueIsInNoObject(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := contactBed{newBed(t, tinyConfig(506)).keepingOlder().withStore()}
	b.advanceAfter(b.space.UpdateContact(b.createUser(), emulator.FieldChange{Field: "phone", Value: canary + "phone"}))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.createUser()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if !b.storeHas(canary) {
		t.Fatal("the store has nothing of the value: the test finds nothing")
	}
	other := b.anotherMachine()
	other.writeConfig(b.readConfig() + "streams: {contacts: {drop: [phone]}}\n")
	other.syncOnce(runner.Options{})
	if b.storeHas(canary) {
		t.Error("an object has the dropped value")
	}
	if layout.IsUnclean(other.runner.Dir) {
		t.Error("the store counts as unclean")
	}
}

// TestAStoreThatCannotBeReachedStopsNoReader: the run is published on its machine and says what failed, and the next one sends its file.
func TestAStoreThatCannotBeReachedStopsNoReader(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := contactBed{newBed(t, tinyConfig(503)).withStore()}
	b.syncOnce(runner.Options{})
	b.createUser()
	b.space.Advance(time.Hour)
	objects, err := objectStore().ListBucket(b.bucketOf(), nil, gofakes3.ListBucketPage{})
	b.failOn(err)
	moved := false
	b.onFirstRequest("/contacts/search", func() { // another machine moves the head during the run
		moved = true
		_, err := objectStore().PutObject(b.bucketOf(), "w/head.json", map[string]string{}, strings.NewReader(`{"epoch": 9, "file": {"name": "x.duckdb"}}`), 42, nil)
		b.failOn(err)
	})
	report := b.trySync(runner.Options{})
	if report.Exit() != problem.ExitFailed || report.Unsent == nil || report.Unsent.Class != "busy" || !report.Published || !moved {
		t.Fatalf("the run ended with %d: %s, %+v", report.Exit(), report.LastLine(), report.Unsent)
	}
	b.equalsOracle()
	for _, object := range objects.Contents { // the other machine's file is gone, with all the rest
		_, err := objectStore().DeleteObject(b.bucketOf(), object.Key)
		b.failOn(err)
	}
	report = b.syncOnce(runner.Options{})
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "head.json is gone") {
		t.Errorf("the next run says %q", notes)
	}
	other := b.anotherMachine()
	other.syncOnce(runner.Options{})
	other.equalsOracle()
}

// TestAFailedSendAndAFailedCommandAreBothReported: a command of `after:` that fails does not hide that the object store lacks the file.
func TestAFailedSendAndAFailedCommandAreBothReported(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(505), strings.Replace(nightly, "nightly: {", "nightly: {after: exit 7, ", 1)).withStore()
	asked := false
	b.interceptRequests(func(http.ResponseWriter, *http.Request) bool {
		if !asked {
			asked = true
			b.failOn(objectStore().DeleteBucket(b.bucketOf()))
		}
		return false
	})
	report := b.runWhole()
	var text strings.Builder
	render.PrintReport(report, &text)
	status := b.statusText()
	for _, want := range []string{"`exit 7` ended with", "s3://" + b.bucketOf()} {
		if report.Exit() != problem.ExitFailed || !strings.Contains(text.String(), want) || !strings.Contains(status, want) {
			t.Errorf("%q is not reported: exit %d\n%s\nthe status:\n%s", want, report.Exit(), text.String(), status)
		}
	}
}

// TestALaterSendMakesUpForAnEarlierOne has the store fail at the publish in the middle of a run, and work at its end.
func TestALaterSendMakesUpForAnEarlierOne(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(504), strings.Replace(nightly, "{dir: data", "{dir: data, publish: {first: 0s}", 1)).withStore()
	asked, failed := false, false
	b.interceptRequests(func(http.ResponseWriter, *http.Request) bool {
		switch {
		case !asked:
			asked = true
			b.failOn(objectStore().DeleteBucket(b.bucketOf()))
		case !failed && b.runner.Dir.Current() != "":
			failed = true
			b.failOn(objectStore().CreateBucket(b.bucketOf()))
		}
		return false
	})
	b.syncOnce(runner.Options{})
	if !failed {
		t.Fatal("nothing was published in the middle of the run: the test finds nothing")
	}
	other := b.anotherMachine()
	other.syncOnce(runner.Options{})
	other.equalsOracle()
}
