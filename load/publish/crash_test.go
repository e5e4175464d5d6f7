package publish_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/sandbox"
	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/failure"
	"aqueduck/load/lakecheck"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/load/read"
	"aqueduck/transform"
	"github.com/google/go-cmp/cmp"
)

// The test binary is also the process that crash tests kill: with childVariable it commits until its last commit.
const childVariable = "AQUEDUCK_TEST_CHILD"

func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(publish.Tasks()))
	}
	if order := os.Getenv(childVariable); order != "" {
		if err := childMain(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			if errors.Is(err, failure.ErrDiskFull) {
				os.Exit(28)
			}
			if strings.Contains(err.Error(), "Could not set lock on file") {
				os.Exit(5)
			}
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// childMain works on "directory|last commit|bytes that a file may have": from the stored checkpoint on it commits,
// publishes after every fourth commit, and folds when the log is long.
func childMain(order string) error {
	if path, found := strings.CutPrefix(order, "open "); found {
		return openLocked(path)
	}
	parts := strings.Split(order, "|")
	last, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return err
	}
	if err := limitFiles(parts[2]); err != nil {
		return err
	}
	ctx, d := context.Background(), layout.Dir(parts[0])
	if err := load.Prepare(d); err != nil {
		return err
	}
	held, err := layout.Lock(ctx, d, 10*time.Second, func(ctx context.Context, pause time.Duration) error {
		time.Sleep(pause) // a real process waits in real time
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for {
		done, err := commitAndPublish(ctx, d, last)
		if err != nil || done {
			return errors.Join(err, held.Release())
		}
	}
}

// openLocked opens a database as a program does that does not know aqueduck's lock.
func openLocked(path string) error {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		return err
	}
	return errors.Join(db.Ping(), db.Close())
}

// commitAndPublish is the time between two publishes of the child.
func commitAndPublish(ctx context.Context, d layout.Dir, last int64) (done bool, err error) {
	w, err := load.OpenWork(ctx, d, load.Options{Now: time.Now, RunID: "run", FoldAt: 64 << 10, RowGroup: 2048})
	if err != nil {
		return false, err
	}
	if _, err := w.Tables.Ensure(ctx, "main", transform.Tables(committest.Stream())); err != nil {
		return false, errors.Join(err, w.Close())
	}
	for n := 0; n < 4 && !done; n++ {
		if done, err = commitNext(ctx, w, last); err != nil {
			return false, errors.Join(err, w.Close())
		}
	}
	_, err = publish.Publish(ctx, d, w, crashSpec())
	return done, err
}

func commitNext(ctx context.Context, w *load.Work, last int64) (done bool, err error) {
	base, err := w.Checkpoints.Checkpoint(ctx, "main", "people")
	if err != nil || base.Seq >= last {
		return base.Seq >= last, err
	}
	next := base
	next.Seq++
	batches := committest.Batches(0, peopleOf(next.Seq)...)
	defer committest.Release(batches)
	if _, err := w.Commit(ctx, "main", "people", base, next, batches); err != nil {
		return false, err
	}
	if w.FoldNeeded() {
		return false, w.Fold(ctx)
	}
	return false, nil
}

func crashSpec() publish.Spec {
	return publish.Spec{RunID: "run", Keep: 1, Now: time.Now, PartBytes: 100 << 10, GroupRows: 2048, Schemas: []publish.Schema{{
		Name: "main", Tables: transform.Tables(committest.Stream()), Relations: crashRelations()}}}
}

func crashRelations() []publish.Relation {
	return []publish.Relation{
		{Name: "people_names", Kind: "table", Doc: "Names and how many have them.", SQL: "SELECT name, count(*) AS people FROM {schema}.people GROUP BY ALL",
			Columns: []publish.Column{{Name: "people", Doc: "How many."}}},
		{Name: "people_tagged", Kind: "view", Doc: "People with a tag.", RowsOf: []string{"people_all"}, SQL: "SELECT p.* FROM {schema}.people p SEMI JOIN {schema}.people_tags t ON t.person_region = p.region AND t.person_id = p.id"},
	}
}

// peopleOf is what commit seq brings: a few people, now and then so many that DuckDB writes them past its log.
func peopleOf(seq int64) []committest.Person {
	r := rand.New(rand.NewPCG(uint64(seq), 42))
	n := 10
	if seq%5 == 1 {
		n = 2500
	}
	list := make([]committest.Person, n)
	for i := range list {
		p := committest.Person{Region: "eu", ID: strconv.Itoa(r.IntN(4000))}
		if r.IntN(20) == 0 {
			p.GoneAt = seq
			list[i] = p
			continue
		}
		p.Updated, p.Name = seq, "name of "+strconv.Itoa(r.IntN(50))
		for range r.IntN(3) {
			p.Tags = append(p.Tags, strconv.Itoa(r.IntN(5)))
		}
		if r.IntN(10) == 0 {
			p.Visits = []committest.Visit{{ID: strconv.FormatInt(seq, 10) + "-" + strconv.Itoa(i), Note: "visit"}}
		}
		list[i] = p
	}
	return list
}

// modelAt is what the tables hold after commit seq.
func modelAt(seq int64) *committest.Model {
	m := committest.NewModel()
	for n := range seq {
		m.ApplyCommit(time.Unix(n, 0), peopleOf(n+1)...)
	}
	return m
}

// startChild starts the child process.
func startChild(t *testing.T, binary, order string, env ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary)
	c.Env = append(append(os.Environ(), childVariable+"="+order), env...)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestF1KillsAtRandomTimesLoseNothing kills a committing, folding and publishing process again and again.
// Holds: T140, T148.
func TestF1KillsAtRandomTimesLoseNothing(t *testing.T) {
	t.Parallel()
	kills := lane.Cases(8, 16)
	if testing.Short() {
		kills = 4
	}
	for l := lane.New(t, "publishing processes killed", kills); l.HasNext(); l.CountTrials(kills) {
		dir := filepath.Join(t.TempDir(), strconv.FormatUint(l.Seed(), 10))
		killPublishes(t, dir, rand.New(rand.NewPCG(l.Seed(), 0)), kills)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

func killPublishes(t *testing.T, dir string, r *rand.Rand, kills int) {
	t.Helper()
	for range kills {
		c := startChild(t, testBinary(t), dir+"|100000|")
		timer := time.AfterFunc(time.Duration(r.IntN(1500))*time.Millisecond, func() { _ = c.Process.Kill() })
		err := c.Wait()
		timer.Stop()
		if !wasKilled(err) {
			t.Fatalf("the process ended by itself: %v", err)
		}
		checkPublished(t, layout.Dir(dir))
	}
	finishUndisturbed(t, testBinary(t), layout.Dir(dir))
}

func wasKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// finishUndisturbed runs the process once more, undisturbed, and compares all that it leaves with the model.
func finishUndisturbed(t *testing.T, binary string, d layout.Dir) {
	t.Helper()
	last := lastCommit(t, d) + 3
	if err := startChild(t, binary, fmt.Sprintf("%s|%d|", d, last)).Wait(); err != nil {
		t.Fatalf("the run after the kills: %v", err)
	}
	if seq := checkPublished(t, d); seq != last {
		t.Errorf("published is commit %d, want %d", seq, last)
	}
	consistent, err := lakecheck.Consistent(t.Context(), d)
	if err != nil || !consistent {
		t.Errorf("file and lake are consistent: %t, %v", consistent, err)
	}
	entries, err := os.ReadDir(d.State())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for _, prefix := range []string{"trash-", "new-", "wtmp-", "folded", "damaged-"} {
			if strings.HasPrefix(e.Name(), prefix) {
				t.Errorf("%s was left behind", e.Name())
			}
		}
	}
}

// lastCommit is the number of the last commit in the work database, or in the published file when there is none.
func lastCommit(t *testing.T, d layout.Dir) int64 {
	t.Helper()
	w, err := load.OpenWork(t.Context(), d, load.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if w.Restored != "" {
		t.Errorf("a kill damaged the work database: %s", w.Restored)
	}
	return c.Seq
}

// checkPublished proves that what readers have at this moment is whole: the file is the model as of its own
// checkpoint, and every Parquet file can be read. It gives the number of the file's last commit.
func checkPublished(t *testing.T, d layout.Dir) int64 {
	t.Helper()
	checkLake(t, d)
	if d.Current() == "" {
		return 0
	}
	seq, err := strconv.ParseInt(firstColumn(t, d, "SELECT coalesce(max(seq), 0)::VARCHAR FROM _sync.checkpoints")[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	m := modelAt(seq)
	want := map[string]bool{}
	for k, row := range m.People() {
		want[strings.Join([]string{k, row["name"], row["updated_at"], row["_gone_at"], row["_hash"]}, "|")] = true
	}
	got := map[string]bool{}
	for _, line := range firstColumn(t, d, `SELECT concat_ws('|', region || '/' || id, coalesce(name, ''),
		coalesce(strftime(updated_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S'), ''),
		coalesce(strftime(_gone_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S'), ''), coalesce(_hash::VARCHAR, '')) FROM people_all`) {
		if got[line] {
			t.Fatalf("%s is there twice", line)
		}
		got[line] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("published people as of commit %d (-want +got):\n%s", seq, diff)
	}
	tags := map[string]bool{}
	for _, line := range firstColumn(t, d, "SELECT concat_ws('/', person_region, person_id, tag) FROM people_tags") {
		tags[line] = true
	}
	if diff := cmp.Diff(m.Tags(), tags); diff != "" {
		t.Fatalf("published tags as of commit %d (-want +got):\n%s", seq, diff)
	}
	if n := firstColumn(t, d, "SELECT count(*)::VARCHAR FROM people_visits")[0]; n != strconv.Itoa(len(m.Visits())) {
		t.Fatalf("%s published visits as of commit %d, want %d", n, seq, len(m.Visits()))
	}
	return seq
}

// firstColumn gives the first column of a query on the published file.
func firstColumn(t testing.TB, d layout.Dir, query string) []string {
	t.Helper()
	var lines []string
	err := read.Query(t.Context(), d.Current(), query, func(_ []string, row []any) error {
		if row != nil {
			lines = append(lines, fmt.Sprint(row[0]))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return lines
}

// checkLake fails the test unless each table that a reader's glob finds has the rows of a published file: one that readers have, or the
// one that a killed publish was about to show.
func checkLake(t testing.TB, d layout.Dir) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(d.Lake("main"), "*", "*.parquet"))
	must(t, err)
	differ := map[string]int{}
	for _, path := range paths {
		differ[filepath.Base(filepath.Dir(path))] = 1
	}
	files, err := d.PublishedFiles()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, file := range files {
		left := slices.DeleteFunc(slices.Collect(maps.Keys(differ)), func(name string) bool { return differ[name] == 0 })
		if len(left) > 0 {
			maps.Copy(differ, differences(t, d.Lake("main"), file, left))
		}
	}
	for name, n := range differ {
		if n != 0 {
			t.Fatalf("%s: %d rows differ between the lake and each published file", name, n)
		}
	}
}
