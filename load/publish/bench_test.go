package publish_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

var (
	benchRows  = flag.Int("contacts", 100_000, "contacts of BenchmarkContacts")
	benchBatch = flag.Int("batch", 40_000, "contacts of one commit")
)

// BenchmarkContacts commits contacts of 60 columns and about 1.7 KB with two tags each, publishes them with Parquet,
// then commits and publishes a change of one in a hundred, of one, and of one in a hundred of which nine in ten are in one tenth. It reports CPU-seconds of each step and the peak memory.
func BenchmarkContacts(b *testing.B) {
	for range b.N {
		ctx := context.Background()
		d := layout.Dir(b.TempDir() + "/data")
		if err := load.Prepare(d); err != nil {
			b.Fatal(err)
		}
		run := &wideRun{b: b, dir: d, tables: transform.Tables(wideStream())}
		run.openWork(ctx)
		for at := 0; at < *benchRows; at += *benchBatch {
			run.commitVersion(ctx, "commit", idRange(at, min(at+*benchBatch, *benchRows), 1), 0)
		}
		run.publishTimed(ctx, "publish")
		run.openWork(ctx)
		run.commitVersion(ctx, "night-commit", idRange(0, *benchRows, 100), 1)
		run.publishTimed(ctx, "night-publish")
		for version, night := range []struct {
			name string
			ids  []int
		}{{"one", []int{*benchRows / 3}}, {"active", activeIDs(*benchRows)}, {"active-again", activeIDs(*benchRows)}} {
			run.openWork(ctx)
			run.commitVersion(ctx, night.name+"-commit", night.ids, 2+version)
			run.publishTimed(ctx, night.name+"-publish")
		}
		run.openWork(ctx)
		run.publishTimed(ctx, "quiet-publish")
		run.logTimings()
	}
}

type wideRun struct {
	b      *testing.B
	dir    layout.Dir
	work   *load.Work
	tables []transform.Table
	spent  []string
}

func (r *wideRun) noteTiming(name string, start time.Time, cpu float64) {
	r.spent = append(r.spent, fmt.Sprintf("%s cpu %.2f s wall %.2f s, rss %d MiB", name, cpuSeconds()-cpu, time.Since(start).Seconds(), peakMiB()))
}

func (r *wideRun) openWork(ctx context.Context) {
	start, cpu := time.Now(), cpuSeconds()
	w, err := load.OpenWork(ctx, r.dir, load.Options{Now: time.Now, RunID: "bench"})
	if err != nil {
		r.b.Fatal(err)
	}
	if _, err := w.Tables.Ensure(ctx, "main", r.tables); err != nil {
		r.b.Fatal(err)
	}
	r.work = w
	r.noteTiming("open", start, cpu)
}

func (r *wideRun) commitVersion(ctx context.Context, name string, ids []int, version int) {
	batches := wideBatches(r.tables, ids, version)
	defer func() {
		for _, batch := range batches {
			batch.Rows.Release()
		}
	}()
	start, cpu := time.Now(), cpuSeconds()
	base, err := r.work.Checkpoints.Checkpoint(ctx, "main", "contacts")
	if err != nil {
		r.b.Fatal(err)
	}
	next := base
	next.Seq++
	if _, err := r.work.Commit(ctx, "main", "contacts", base, next, batches); err != nil {
		r.b.Fatal(err)
	}
	r.noteTiming(name, start, cpu)
}

func (r *wideRun) publishTimed(ctx context.Context, name string) {
	start, cpu := time.Now(), cpuSeconds()
	result, err := publish.Publish(ctx, r.dir, r.work, publish.Spec{RunID: name, Keep: 1, Now: time.Now,
		Schemas: []publish.Schema{{Name: "main", Tables: r.tables}}})
	if err != nil {
		r.b.Fatal(err)
	}
	r.noteTiming(fmt.Sprintf("%s (%d MiB, %d parts written)", name, result.Bytes>>20, result.Parts), start, cpu)
}

func (r *wideRun) logTimings() {
	r.b.Log(strings.Join(r.spent, "; ")) // a benchmark shows ten lines
}

func idRange(from, to, step int) []int {
	var list []int
	for i := from; i < to; i += step {
		list = append(list, i)
	}
	return list
}

// activeIDs are one in a hundred, nine in ten of them in the last tenth.
func activeIDs(n int) (list []int) {
	r := rand.New(rand.NewPCG(1, 1))
	for range n / 1000 {
		list = append(list, r.IntN(n*9/10))
	}
	for range 9 * n / 1000 {
		list = append(list, n*9/10+r.IntN(n/10))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func cpuSeconds() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}

func peakMiB() int64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Maxrss / 1024
}

// wideStream is a stream like contacts: half of its columns short texts, the others times, flags and JSON.
func wideStream() *schemas.Stream {
	s := &schemas.Stream{Name: "contacts", Table: "contacts", Key: []string{"id"}, Newest: "updated_at"}
	add := func(name string, t schemas.Type) {
		s.Columns = append(s.Columns, schemas.Column{Name: name, From: []string{name}, Type: t})
	}
	add("id", schemas.Text)
	add("updated_at", schemas.Timestamp)
	for i := range 10 {
		add(fmt.Sprint("prose_", i), schemas.Text)
		add(fmt.Sprint("word_", i), schemas.Text)
		add(fmt.Sprint("code_", i), schemas.Text)
		add(fmt.Sprint("at_", i), schemas.Timestamp)
	}
	for i := range 5 {
		add(fmt.Sprint("flag_", i), schemas.Bool)
		add(fmt.Sprint("json_", i), schemas.JSON)
	}
	s.Children = []schemas.Child{{Table: "contact_tags", Key: []string{"contact_id", "id"}, Complete: true, Columns: []schemas.Column{
		{Name: "contact_id", From: []string{schemas.FromParent, "id"}, Type: schemas.Text},
		{Name: "id", From: []string{"id"}, Type: schemas.Text}}}}
	return s
}

func wideBatches(tables []transform.Table, ids []int, version int) []transform.Batch {
	r := rand.New(rand.NewPCG(uint64(len(ids)), uint64(version)))
	return []transform.Batch{
		{Table: tables[0], Rows: wideRows(tables[0], len(ids), func(c transform.Column, b array.Builder, i int) {
			wideValue(r, c, b, ids[i], version)
		}, func(i int) int64 { return int64(i) })},
		{Table: tables[1], Rows: wideRows(tables[1], 2*len(ids), func(c transform.Column, b array.Builder, i int) {
			switch c.Name {
			case "contact_id":
				b.(*array.StringBuilder).Append(wideID(ids[i/2]))
			case "id":
				b.(*array.StringBuilder).Append(fmt.Sprint("tag", i%2, ids[i/2]%100))
			case "_hash":
				b.(*array.Int64Builder).Append(int64(i))
			default:
				b.AppendNull()
			}
		}, func(i int) int64 { return int64(i / 2) })},
	}
}

func wideRows(t transform.Table, n int, value func(transform.Column, array.Builder, int), row func(int) int64) arrow.RecordBatch {
	columns := t.Columns[:len(t.Columns)-2]
	fields := []arrow.Field{{Name: transform.RowColumn, Type: arrow.PrimitiveTypes.Int64}}
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Arrow, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(row(i))
		for j, c := range columns {
			value(c, b.Field(j+1), i)
		}
	}
	return b.NewRecordBatch()
}

func wideID(id int) string { return fmt.Sprintf("%024x", id*7919) }

var wideWords = strings.Fields("alpha beta gamma delta customer active paid trial berlin paris london tokyo enterprise startup lorem ipsum dolor sit amet")

func wideValue(r *rand.Rand, c transform.Column, b array.Builder, id, version int) {
	kind, _, _ := strings.Cut(c.Name, "_")
	switch kind {
	case "id":
		b.(*array.StringBuilder).Append(wideID(id))
	case "updated":
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + int64(id+version*10_000_000)*1_000_000))
	case "prose":
		b.(*array.StringBuilder).Append(wideProse(r, 60))
	case "word":
		b.(*array.StringBuilder).Append(wideWords[r.IntN(len(wideWords))])
	case "code":
		b.(*array.StringBuilder).Append(fmt.Sprintf("%012x%012x", r.Uint64N(1<<48), r.Uint64N(1<<48)))
	case "at":
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + r.Int64N(1e7)*1_000_000))
	case "flag":
		b.(*array.BooleanBuilder).Append(r.IntN(2) == 0)
	case "json":
		b.(*array.StringBuilder).Append(`{"plan":"` + wideWords[r.IntN(len(wideWords))] + `","seats":` + fmt.Sprint(r.IntN(1000)) + `,"note":"` + wideProse(r, 100) + `"}`)
	default:
		if c.Name == transform.HashColumn {
			b.(*array.Int64Builder).Append(int64(r.Uint64()))
			return
		}
		b.AppendNull()
	}
}

func wideProse(r *rand.Rand, n int) string {
	var s strings.Builder
	for s.Len() < n {
		s.WriteString(wideWords[r.IntN(len(wideWords))])
		s.WriteByte(' ')
	}
	return s.String()
}
