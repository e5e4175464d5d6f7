package pipeline_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
	"aqueduck/schemas"
)

// What a server may do to a field.
const (
	leftOut  = "left out"
	nulled   = "null"
	previous = "previous value"
)

// What becomes of it.
const (
	compared = "compared"    // a table differs from the truth
	told     = "told"        // the run says so: by its exit code, a finding, a reject
	ignored  = "ignored"     // nobody noticed, and the stream names the field as one that it does not keep
	around   = "around"      // the field is none of a record, and the tables were right without it
	noColumn = "no column"   // no table has the field; what is in no column lies in _extra as it came
	madeUp   = "made up for" // the tables were right, for another answer of the resource has the field; where that lacks it too they are not
	missed   = "missed"
)

// wrongServer is a server that does one thing to one field of the answers of one route.
type wrongServer struct {
	route, path string
	how         string
	list        bool // the field is of the answer around the records
}

func (m wrongServer) String() string { return m.route + " " + m.path + ": " + m.how }

// mutantRun is a family of streams, read from one workspace, with all wrong servers that there are of it.
type mutantRun struct {
	t               *testing.T
	config          string
	streams         []string
	hold            func(b *testBed)
	space           *testBed                        // that all runs read
	before          map[string]map[string]*jsonTree // by route and id, the records as they were
	now             map[string][]*jsonTree          // by route, the answers
	expectedRejects int64                           // records that a right server's run rejects
	known           []load.Finding                  // and what such a run finds
	fates           map[wrongServer]string
	same            int // servers that change no byte
	runs            int
}

// diffVerdict is a test that takes down what differs instead of failing.
type diffVerdict struct {
	testing.TB
	keys    map[string]bool // first columns of the rows that differ
	differs bool
}

type givenUp struct{ why string }

func (v *diffVerdict) RecordDiff(_ string, here, truth []string) {
	v.differs = true
	for _, row := range slices.Concat(here, truth) {
		key, _, _ := strings.Cut(row, "|")
		v.keys[key] = true
	}
}

func (v *diffVerdict) Errorf(string, ...any) { v.differs = true }

func (v *diffVerdict) Fatalf(format string, args ...any) {
	panic(givenUp{fmt.Sprintf(format, args...)})
}

func (v *diffVerdict) Fatal(args ...any) { panic(givenUp{fmt.Sprint(args...)}) }

// readMutated runs the pipeline into a new warehouse, the answers edited on their way, and compares what is published.
func (j *mutantRun) readMutated(edit func(route string, body []byte) []byte) (v *diffVerdict, report *runlog.Report) {
	j.t.Helper()
	j.runs++
	v = &diffVerdict{TB: j.t, keys: map[string]bool{}}
	dir, err := os.MkdirTemp("", "judged-")
	if err != nil {
		j.t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	j.space.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = edit
		spoilFiles(j.t, k, edit)
	})
	b := &testBed{t: v, space: j.space.space, url: j.space.url, file: filepath.Join(dir, "pipelines.yaml"), log: &bytes.Buffer{}}
	defer func() {
		if up, is := recover().(givenUp); is { // a table that is not there, or a run that ended before it began
			v.differs = true
			j.t.Logf("given up: %.200s", up.why)
		}
	}()
	defer func() {
		if err := b.reader.Close(); err != nil {
			j.t.Error(err)
		}
	}()
	b.writeConfig(j.config)
	report = b.trySync(runner.Options{})
	if report.Published {
		j.hold(b)
	}
	return v, report
}

// reportsWrong is whether a run says that something is wrong.
func (j *mutantRun) reportsWrong(report *runlog.Report) bool {
	return report == nil || report.Exit() != problem.ExitOK || !report.Published || countRejects(report) != j.expectedRejects ||
		slices.ContainsFunc(report.Findings, func(f load.Finding) bool { return !slices.Contains(j.known, f) })
}

func countRejects(report *runlog.Report) (n int64) {
	for _, s := range report.Streams {
		n += s.Rejected
	}
	return n
}

// learnFields reads the workspace twice, some hours of life between, by which it learns every field and what it was before.
func (j *mutantRun) learnFields(c emulator.Config) {
	j.space = newBedWith(j.t, c, j.config)
	var mu sync.Mutex
	var answers map[string][]*jsonTree
	watch := func(route string, body []byte) []byte {
		if len(body) > 0 && body[0] == '{' {
			mu.Lock()
			answers[route] = append(answers[route], parseTree(j.t, body))
			mu.Unlock()
		}
		return body
	}
	for range 2 {
		j.before, answers = map[string]map[string]*jsonTree{}, map[string][]*jsonTree{}
		for route, list := range j.now {
			j.before[route] = map[string]*jsonTree{}
			for _, answer := range list {
				for _, record := range answer.recordNodes() {
					j.before[route][record.recordID()] = record
				}
			}
		}
		j.space.space.SimulateHours(26)
		j.space.space.Advance(time.Hour)
		v, report := j.readMutated(watch)
		if v.differs || report.Exit() != problem.ExitOK || !report.Published {
			j.t.Fatalf("a right server's tables differ: %v, %s", slices.Sorted(maps.Keys(v.keys)), report.LastLine())
		}
		j.now, j.expectedRejects, j.known = answers, countRejects(report), report.Findings
	}
	j.fates = map[wrongServer]string{}
}

// listServers are all wrong ones, of the routes of some resources, for a run asks others too, once, for who it is; those that would change no byte are counted.
func (j *mutantRun) listServers(resources ...string) (list []wrongServer) {
	for _, route := range slices.Sorted(maps.Keys(j.now)) {
		if of, _, _ := strings.Cut(route, "."); !slices.Contains(resources, of) {
			continue
		}
		around, inside := map[string]bool{}, map[string]bool{}
		for _, answer := range j.now[route] {
			records := answer.recordNodes()
			if len(records) == 1 && records[0] == answer {
				answer.collectPaths("", nil, inside)
				continue
			}
			answer.collectPaths("", records, around)
			for _, record := range records {
				record.collectPaths("", nil, inside)
			}
		}
		for _, how := range []string{leftOut, nulled, previous} {
			for of, fields := range map[bool]map[string]bool{true: around, false: inside} {
				for path := range fields {
					switch m := (wrongServer{route, path, how, of}); {
					case m.inFile() && (of || path == "id"): // which are ours
					case how == previous && of || !j.altersAnswer(m):
						j.same++
					default:
						list = append(list, m)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b wrongServer) int { return cmp.Compare(a.String(), b.String()) })
	return list
}

// altersAnswer is whether a server changes a byte of any answer.
func (j *mutantRun) altersAnswer(m wrongServer) bool {
	for _, answer := range j.now[m.route] {
		if m.list {
			if parseTree(j.t, []byte(answer.String())).editPath(m.path, m.how, nil) {
				return true
			}
			continue
		}
		for _, record := range answer.recordNodes() {
			if j.altersRecord(m, record) {
				return true
			}
		}
	}
	return false
}

func (j *mutantRun) altersRecord(m wrongServer, record *jsonTree) bool {
	return parseTree(j.t, []byte(record.String())).editPath(m.path, m.how, j.before[m.route][record.recordID()])
}

// mutateAll serves one wrong thing in every answer of its route.
func (j *mutantRun) mutateAll(m wrongServer) func(string, []byte) []byte {
	return func(route string, body []byte) []byte {
		if route != m.route || len(body) == 0 || body[0] != '{' {
			return body
		}
		answer := parseTree(j.t, body)
		if m.list {
			answer.editPath(m.path, m.how, nil)
		} else {
			for _, record := range answer.recordNodes() {
				record.editPath(m.path, m.how, j.before[route][record.recordID()])
			}
		}
		return []byte(answer.String())
	}
}

// inResource serves one wrong thing in every record of the type, whichever answer of the resource has it.
func (j *mutantRun) inResource(m wrongServer) func(string, []byte) []byte {
	resource, _, _ := strings.Cut(m.route, ".")
	kinds := map[string]bool{}
	for _, answer := range j.now[m.route] {
		for _, record := range answer.recordNodes() {
			kinds[record.recordType()] = true
		}
	}
	return func(route string, body []byte) []byte {
		if of, _, _ := strings.Cut(route, "."); of != resource || len(body) == 0 || body[0] != '{' {
			return body
		}
		answer := parseTree(j.t, body)
		for _, record := range answer.recordNodes() {
			if kinds[record.recordType()] {
				record.editPath(m.path, m.how, cmp.Or(j.before[route][record.recordID()], j.before[m.route][record.recordID()]))
			}
		}
		return []byte(answer.String())
	}
}

// mutateEach serves several wrong things, each in a record of its own.
func (j *mutantRun) mutateEach(of map[string]wrongServer) func(string, []byte) []byte {
	return func(route string, body []byte) []byte {
		if len(body) == 0 || body[0] != '{' {
			return body
		}
		answer, changed := parseTree(j.t, body), false
		for _, record := range answer.recordNodes() {
			if m, is := of[record.recordID()]; is && m.route == route && record.editPath(m.path, m.how, j.before[route][record.recordID()]) {
				changed = true
			}
		}
		if !changed {
			return body
		}
		return []byte(answer.String())
	}
}

// judgeServers finds out what becomes of each. Most are noticed when each has a record of its own, many in one run: a row of that record
// then differs. What is not noticed so has a run of its own, in which the server does it to every record.
func (j *mutantRun) judgeServers(list []wrongServer) {
	var alone []wrongServer
	for left := list; len(left) > 0; {
		of := map[string]wrongServer{}
		var next []wrongServer
		for _, m := range left {
			id, there := j.freeRecord(m, of)
			switch {
			case id != "":
				of[id] = m
			case there:
				next = append(next, m)
			default:
				alone = append(alone, m)
			}
		}
		left = next
		alone = append(alone, j.judgeTogether(of)...)
	}
	for _, m := range alone {
		v, report := j.readMutated(j.mutateAll(m))
		switch {
		case v.differs:
			j.fates[m] = compared
		case j.reportsWrong(report):
			j.fates[m] = told
		case j.isIgnored(m):
			j.fates[m] = ignored
		case m.list:
			j.fates[m] = around
		case !j.hasColumn(m):
			j.fates[m] = noColumn
		default:
			j.fates[m] = missed
			if v, report := j.readMutated(j.inResource(m)); v.differs || j.reportsWrong(report) {
				j.fates[m] = madeUp
			}
		}
	}
	right := func(_ string, body []byte) []byte {
		if len(body) == 0 || body[0] != '{' {
			return body
		}
		return []byte(parseTree(j.t, body).String()) // what is only taken apart and put together is no wrong
	}
	if v, report := j.readMutated(right); v.differs || j.reportsWrong(report) {
		j.t.Errorf("a right server is noticed too, after the wrong ones: %v, %d rejects, usual are %d, %+v", slices.Sorted(maps.Keys(v.keys)), countRejects(report), j.expectedRejects, report)
	}
}

// judgeTogether judges those that have a record each, and gives those that no row shows. Where nothing was published it takes halves.
func (j *mutantRun) judgeTogether(of map[string]wrongServer) (unseen []wrongServer) {
	if len(of) < 2 { // it costs a run all the same
		return slices.Collect(maps.Values(of))
	}
	v, report := j.readMutated(j.mutateEach(of))
	if report == nil || !report.Published {
		ids := slices.Sorted(maps.Keys(of))
		for _, half := range [][]string{ids[:len(ids)/2], ids[len(ids)/2:]} {
			some := map[string]wrongServer{}
			for _, id := range half {
				some[id] = of[id]
			}
			unseen = append(unseen, j.judgeTogether(some)...)
		}
		return unseen
	}
	for id, m := range of {
		switch {
		case v.keys[id]:
			j.fates[m] = compared
		case j.isIgnored(m):
			j.fates[m] = ignored
		default:
			unseen = append(unseen, m)
		}
	}
	return unseen
}

// freeRecord is one that a wrong server changes and that no other has taken; there says whether there is any at all.
func (j *mutantRun) freeRecord(m wrongServer, taken map[string]wrongServer) (id string, there bool) {
	if m.list || m.inFile() && m.how == leftOut { // no row of a file lacks a column that others have
		return "", false
	}
	for _, answer := range j.now[m.route] {
		for _, record := range answer.recordNodes() {
			if id := record.recordID(); id != "" && j.altersRecord(m, record) {
				if _, is := taken[id]; !is {
					return id, true
				}
				there = true
			}
		}
	}
	return "", there
}

// isIgnored is whether the streams name a field as one that they do not keep.
func (j *mutantRun) isIgnored(m wrongServer) bool {
	path := strings.Split(strings.ReplaceAll(m.path, "[]", ""), ".")
	for _, name := range j.streams {
		s, known := j.space.runner.Catalogue.Stream(name)
		if known && slices.ContainsFunc(s.Ignore, func(of []string) bool { return len(of) <= len(path) && slices.Equal(of, path[:len(of)]) }) {
			return true
		}
	}
	return false
}

// anyEntry stands for the name of an entry, of a list that is an object.
const anyEntry = "*"

// hasColumn is whether any table of the streams has a column for a field of their records, or of the items of their lists.
func (j *mutantRun) hasColumn(m wrongServer) bool {
	if m.inFile() {
		return true
	}
	path := strings.Split(strings.ReplaceAll(m.path, "[]", ""), ".")
	of := func(column []string) bool {
		n := min(len(path), len(column))
		return n > 0 && slices.EqualFunc(path[:n], column[:n], func(sent, declared string) bool { return declared == anyEntry || sent == declared })
	}
	for _, name := range j.streams {
		s, known := j.space.runner.Catalogue.Stream(name)
		if !known {
			continue
		}
		if slices.ContainsFunc(s.Columns, func(c schemas.Column) bool { return of(c.From) || slices.ContainsFunc(c.Or, of) }) {
			return true
		}
		within := map[string][]string{}
		for _, child := range s.Children {
			lists := [][]string{slices.Concat(within[child.Within], child.From), {}} // in the record, or read by itself
			within[child.Table] = lists[0]
			for _, or := range child.Or {
				lists = append(lists, slices.Concat(within[child.Within], or))
			}
			for _, c := range child.Columns {
				for _, list := range lists {
					if child.Entries {
						list = append(slices.Clone(list), anyEntry)
					}
					if !strings.HasPrefix(c.From[0], "$") && of(slices.Concat(list, c.From)) {
						return true
					}
				}
			}
		}
	}
	return false
}

var _ oracletest.DiffRecorder = (*diffVerdict)(nil)
