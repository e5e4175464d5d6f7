package pipeline_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// streamFreshness returns the freshness of a stream from the status, and its line.
func (b *testBed) streamFreshness(name string) (runlog.Freshness, string) {
	b.t.Helper()
	s, err := runlog.ReadStatus(context.Background(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, b.runner.Now())
	if err != nil {
		b.t.Fatal(err)
	}
	i := slices.IndexFunc(s.Streams, func(stream runlog.StreamStatus) bool { return stream.Stream == name })
	if i < 0 {
		b.t.Fatalf("the status has no stream %s: %+v", name, s.Streams)
	}
	var out bytes.Buffer
	render.PrintStatus(s, &out)
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "  "+name+" ") {
			return s.Streams[i].Freshness, strings.Join(strings.Fields(line), " ")
		}
	}
	b.t.Fatalf("the status does not print %s:\n%s", name, out.String())
	return "", ""
}

// TestT86LostStreamFailsOnceThenGrowsStale: a plan that no longer includes a stream causes one failure, and after that the stream grows stale. A
// stream that the workspace never had does neither.
func TestT86LostStreamFailsOnceThenGrowsStale(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	c := tinyConfig(77)
	c.Unavailable = []string{"contacts.deleted"}
	b := newBed(t, c)
	b.syncOnce(runner.Options{})
	rows := b.queryRows("SELECT count(*) FROM contact_activities")[0]
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = append(k.Unavailable, "contacts.activities") })
	for night, want := range []struct {
		exit      int
		freshness runlog.Freshness
		line      string
	}{
		{problem.ExitFailed, runlog.Late, "unavailable late, 24 h old"},
		{problem.ExitOK, runlog.Breached, "unavailable BREACHED, 2 days old"},
		{problem.ExitOK, runlog.Breached, "unavailable BREACHED, 3 days old"},
	} {
		b.space.Advance(24 * time.Hour)
		report := b.trySync(runner.Options{FullRefresh: night == 2})
		var out bytes.Buffer
		render.PrintReport(report, &out)
		if s := streamResult(t, report, "contact_activities"); report.Exit() != want.exit || s.Status != runlog.StatusUnavailable ||
			strings.Contains(out.String(), "contact_activities is newly unavailable") != (want.exit == problem.ExitFailed) {
			t.Errorf("night %d: exit %d, want %d\n%s", night, report.Exit(), want.exit, out.String())
		}
		if f, line := b.streamFreshness("contact_activities"); f != want.freshness || !strings.Contains(line, want.line) {
			t.Errorf("night %d: %q, want %s", night, line, want.line)
		}
		if f, line := b.streamFreshness("contacts"); f != runlog.Fresh {
			t.Errorf("night %d: %q", night, line)
		}
		if f, line := b.streamFreshness("deleted_contacts"); f != "" {
			t.Errorf("never there, and owed: %q", line)
		}
	}
	if now := b.queryRows("SELECT count(*) FROM contact_activities")[0]; now != rows {
		t.Errorf("%s rows were read, %s are there", rows, now)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = nil })
	b.syncOnce(runner.Options{})
	if f, line := b.streamFreshness("contact_activities"); f != runlog.Fresh {
		t.Errorf("it is back: %q", line)
	}
	b.equalsOracle()
}

// TestFreshnessFollowsTheTimesOfTheSchedule: a weekend without scheduled runs is no delay, limits of the configuration have precedence, and a
// pipeline without a schedule is never late.
func TestFreshnessFollowsTheTimesOfTheSchedule(t *testing.T) {
	t.Parallel()
	c := tinyConfig(78)
	c.Start = time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC) // a Friday, after the run of that night
	b := newBed(t, c)
	b.syncOnce(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = []string{"contacts.activities"} })
	for _, step := range []struct {
		hours  int
		config string
		want   runlog.Freshness
	}{
		{70, `schedule: "0 2 * * 1-5", `, runlog.Fresh}, // Monday at one
		{2, `schedule: "0 2 * * 1-5", `, runlog.Late},
		{24, `schedule: "0 2 * * 1-5", `, runlog.Breached},
		{0, `schedule: "0 2 * * 1-5", freshness: {error_after: 5d}, `, runlog.Late},
		{0, `schedule: "0 2 * * 1-5", freshness: {warn_after: 4d5h, error_after: 5d}, `, runlog.Fresh},
		{0, `freshness: {error_after: 2d}, `, runlog.Breached},
		{0, ``, ""},
	} {
		b.space.Advance(time.Duration(step.hours) * time.Hour)
		b.writeConfig(strings.Replace(nightly, `schedule: "0 2 * * *", `, step.config, 1))
		b.trySync(runner.Options{})
		if got, line := b.streamFreshness("contact_activities"); got != step.want {
			t.Errorf("%d hours on, with %s: %q, want %s", step.hours, step.config, line, step.want)
		}
	}
}

// TestStreamNotReachedByACutRunKeepsItsAge: a run that other streams cut short leaves the age of a stream as it was, and an empty warehouse has no
// age for a stream that was never read.
func TestStreamNotReachedByACutRunKeepsItsAge(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for _, cut := range []runner.Options{{MaxRequests: 1}, {MaxTime: time.Millisecond}} {
		b := newBed(t, tinyConfig(79))
		b.space.RunBetween(func(int) { b.space.Advance(time.Second) })
		status := func() (*runlog.Status, runlog.StreamStatus) {
			t.Helper()
			s, err := runlog.ReadStatus(t.Context(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, b.runner.Now())
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(s.Streams, func(s runlog.StreamStatus) bool { return s.Stream == "contacts" })
			if i < 0 {
				return s, runlog.StreamStatus{}
			}
			return s, s.Streams[i]
		}
		report := b.syncOnce(cut)
		if s, contacts := status(); !s.AsOf.IsZero() || contacts.Freshness != "" || !contacts.OK.IsZero() {
			t.Errorf("%+v, nothing was read: data as of %s, %+v", cut, s.AsOf, contacts)
		}
		if _, line := b.streamFreshness("contacts"); line != "contacts cut – – –" {
			t.Errorf("%+v, nothing was read: %q", cut, line)
		}
		if s := streamResult(t, report, "contacts"); s.Status != runlog.StatusCut || report.Exit() != problem.ExitOK {
			t.Errorf("%+v: it was not reached, and is %s", cut, s.Status)
		}
		b.space.Advance(72 * time.Hour)
		b.syncOnce(cut)
		if s, contacts := status(); contacts.Freshness != runlog.Breached || !slices.Contains(s.Stale(), "contacts") {
			t.Errorf("%+v, three days on it was never read: %+v", cut, contacts)
		}
		if _, line := b.streamFreshness("contacts"); !strings.Contains(line, "cut BREACHED, never read") {
			t.Errorf("%q", line)
		}
		b.syncOnce(runner.Options{})
		s, contacts := status()
		if contacts.Freshness != runlog.Fresh || contacts.Outcome != "ok" || s.AsOf.IsZero() {
			t.Errorf("%+v, all was read: data as of %s, %+v", cut, s.AsOf, contacts)
		}
		well := contacts.OK
		b.space.Advance(24 * time.Hour)
		b.syncOnce(cut)
		if _, contacts = status(); !contacts.OK.Equal(well) || contacts.Freshness != runlog.Late || contacts.Outcome != "cut" {
			t.Errorf("%+v, not reached: %+v, read well at %s", cut, contacts, well)
		}
	}
}

// TestCutBackfillMakesNoStreamLate: the forward pass was complete.
func TestCutBackfillMakesNoStreamLate(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(79))
	for most := int64(2); most < 5; most++ {
		report := b.syncOnce(runner.Options{Select: []string{"contacts"}, MaxRequests: most})
		s := streamResult(t, report, "contacts")
		if s.Status == runlog.StatusCut {
			continue
		}
		if f, line := b.streamFreshness("contacts"); s.Backfill == 1 || f != runlog.Fresh {
			t.Errorf("with %d requests: %s, %q", most, s.Status, line)
		}
		return
	}
	t.Error("no number of requests cuts the history alone")
}

// TestDataAsOfIsThatOfThePublishedFile: neither a publish that was held back nor a run that was limited by --until makes the data newer.
func TestDataAsOfIsThatOfThePublishedFile(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBed(t, tinyConfig(84))
	known := func() (asOf, read time.Time) {
		t.Helper()
		s, err := runlog.ReadStatus(t.Context(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, b.runner.Now())
		b.failOn(err)
		for _, stream := range s.Streams {
			if stream.Stream == "contacts" {
				read = stream.OK
			}
		}
		return s.AsOf, read
	}
	// Of an empty warehouse only a span of the contacts is read, and then all other streams.
	b.syncOnce(runner.Options{Select: []string{"contacts"}, Until: b.space.CurrentTime().Add(-200 * time.Hour)})
	b.syncOnce(runner.Options{Exclude: []string{"contacts"}})
	if asOf, read := known(); !asOf.IsZero() || !read.IsZero() {
		t.Errorf("only a span of the contacts was read: data as of %s, contacts as of %s", asOf, read)
	}
	b.syncOnce(runner.Options{})
	first, firstRead := known()
	for _, since := range []time.Duration{0, time.Hour} {
		b.space.Advance(4 * time.Hour)
		b.failOn(b.space.UpdateContact(b.space.ContactIDs("active")[0], emulator.FieldChange{Field: "name", Value: since.String()}))
		b.space.Advance(4 * time.Hour)
		o := runner.Options{Until: b.space.CurrentTime().Add(-time.Hour)}
		if since > 0 {
			o.Since = b.space.CurrentTime().Add(-6 * since)
		}
		b.syncOnce(o)
		if asOf, read := known(); first.IsZero() || !asOf.Equal(first) || !read.Equal(firstRead) {
			t.Errorf("after a run from %s until %s: data as of %s, want %s; contacts as of %s, want %s", o.Since, o.Until, asOf, first, read, firstRead)
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = dropTags })
	for _, o := range []runner.Options{{FullRefresh: true}, {}} {
		b.space.Advance(4 * time.Hour)
		report := b.trySync(o)
		if asOf, _ := known(); report.Held == nil || !asOf.Equal(first) {
			t.Errorf("after %s: data as of %s, want %s", report.LastLine(), asOf, first)
		}
	}
}
