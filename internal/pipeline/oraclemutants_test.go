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

// What a wrong server does to a field.
const (
	leftOut  = "left out"
	nulled   = "null"
	previous = "previous value"
)

// The results.
const (
	compared = "compared"    // a table differs from the oracle
	told     = "told"        // the run reports it: by its exit code, a finding, a dead letter
	ignored  = "ignored"     // not noticed, and the stream file lists the field as not stored
	around   = "around"      // the field is not in a record, and the tables were right without it
	noColumn = "no column"   // no table has the field; its value is in _extra as sent
	madeUp   = "made up for" // the tables were right, because another answer of the resource has the field; they are wrong where that lacks it too
	missed   = "missed"
)

// wrongServer is a server that does one thing to one field in the answers of one route.
type wrongServer struct {
	route, path string
	how         string
	list        bool // the field is in the envelope around the records
}

func (m wrongServer) String() string { return m.route + " " + m.path + ": " + m.how }

// mutantRun is a family of streams, read from one workspace, with all its wrong servers.
type mutantRun struct {
	t               *testing.T
	config          string
	streams         []string
	hold            func(b *testBed)
	space           *testBed                        // read by all runs
	before          map[string]map[string]*jsonTree // by route and id: the records before the change
	now             map[string][]*jsonTree          // by route: the answers
	expectedRejects int64                           // dead letters of a run against a correct server
	known           []load.Finding                  // findings of such a run
	fates           map[wrongServer]string
	same            int // servers whose answers are all unchanged
	runs            int
}

// diffVerdict is a testing.TB that records differences instead of failing.
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

// readMutated runs the pipeline into a new warehouse, with edited answers, and compares the published file.
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
		if up, is := recover().(givenUp); is { // a missing table, or a run that did not take place
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
	if report.HasShown() {
		j.hold(b)
	}
	return v, report
}

// reportsWrong reports whether a run says that something is wrong.
func (j *mutantRun) reportsWrong(report *runlog.Report) bool {
	return report == nil || report.Exit() != problem.ExitOK || !report.HasShown() || countRejects(report) != j.expectedRejects ||
		slices.ContainsFunc(report.Findings, func(f load.Finding) bool { return !slices.Contains(j.known, f) })
}

func countRejects(report *runlog.Report) (n int64) {
	for _, s := range report.Streams {
		n += s.Rejected
	}
	return n
}

// learnFields syncs the workspace twice, with some hours of events between, to learn every field and its earlier value.
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
					j.before[route][record.recordIdentity()] = record
				}
			}
		}
		j.space.space.SimulateHours(26)
		j.space.space.Advance(time.Hour)
		v, report := j.readMutated(watch)
		if v.differs || report.Exit() != problem.ExitOK || !report.HasShown() {
			j.t.Fatalf("a right server's tables differ: %v, %s", slices.Sorted(maps.Keys(v.keys)), report.LastLine())
		}
		j.now, j.expectedRejects, j.known = answers, countRejects(report), report.Findings
	}
	j.fates = map[wrongServer]string{}
}

// listServers returns all wrong servers of some routes, or of all routes of a resource, and counts those that would change no byte. A run also sends a few
// requests to other routes, to identify the workspace.
func (j *mutantRun) listServers(resources ...string) (list []wrongServer) {
	for _, route := range slices.Sorted(maps.Keys(j.now)) {
		if of, _, _ := strings.Cut(route, "."); !slices.Contains(resources, of) && !slices.Contains(resources, route) {
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
					case m.inFile() && (of || path == "id"): // which the test adds
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

// altersAnswer reports whether a server changes a byte of any answer.
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
	return parseTree(j.t, []byte(record.String())).editPath(m.path, m.how, j.before[m.route][record.recordIdentity()])
}

// mutateAll changes every answer of a route.
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
				record.editPath(m.path, m.how, j.before[route][record.recordIdentity()])
			}
		}
		return []byte(answer.String())
	}
}

// inResource changes every record of the type, in every answer of the resource.
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
				record.editPath(m.path, m.how, cmp.Or(j.before[route][record.recordIdentity()], j.before[m.route][record.recordIdentity()]))
			}
		}
		return []byte(answer.String())
	}
}

// mutateEach applies several wrong servers at once, each to another record.
func (j *mutantRun) mutateEach(of map[string]wrongServer) func(string, []byte) []byte {
	return func(route string, body []byte) []byte {
		if len(body) == 0 || body[0] != '{' {
			return body
		}
		answer, changed := parseTree(j.t, body), false
		for _, record := range answer.recordNodes() {
			if m, is := of[record.recordID()]; is && m.route == route && record.editPath(m.path, m.how, j.before[route][record.recordIdentity()]) {
				changed = true
			}
		}
		if !changed {
			return body
		}
		return []byte(answer.String())
	}
}

// judgeServers finds the result for each wrong server. Most are noticed when many share one run, each with a record of its own: a row of that
// record then differs. The others get a run each, in which the server changes every record.
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
		return []byte(parseTree(j.t, body).String()) // parsed and written again without a change
	}
	if v, report := j.readMutated(right); v.differs || j.reportsWrong(report) {
		j.t.Errorf("a right server is noticed too, after the wrong ones: %v, %d rejects, usual are %d, %+v", slices.Sorted(maps.Keys(v.keys)), countRejects(report), j.expectedRejects, report)
	}
}

// judgeTogether judges servers with one record each, and returns those that no row shows. Without a published file it tries halves.
func (j *mutantRun) judgeTogether(of map[string]wrongServer) (unseen []wrongServer) {
	if len(of) < 2 { // a run of its own costs the same
		return slices.Collect(maps.Values(of))
	}
	v, report := j.readMutated(j.mutateEach(of))
	if report == nil || !report.HasShown() {
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

// freeRecord returns a record that a wrong server changes and that no other server uses; there reports whether any record exists.
func (j *mutantRun) freeRecord(m wrongServer, taken map[string]wrongServer) (id string, there bool) {
	if m.list || m.inFile() && m.how == leftOut { // rows of a file cannot lack a column that others have
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

// isIgnored reports whether the stream files list a field as not stored.
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

// anyEntry stands for the name of an entry in a list that is an object.
const anyEntry = "*"

// hasColumn reports whether a table of the streams has a column for a field of their records, or of the items of their lists.
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
			lists := [][]string{slices.Concat(within[child.Within], child.From), {}} // in the record, or read by a request of its own
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
