package pipeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/verify"
	"aqueduck/load/publish"
)

// newBedPair is a bed with two workspaces: its own, and acme.
func newBedPair(t *testing.T) (b, acme *testBed) {
	t.Helper()
	acme = newBed(t, tinyConfig(12))
	b = newBed(t, tinyConfig(11))
	b.env = map[string]string{"ACME_URL": acme.url, "ACME_TOKEN": acme.space.AccessToken()}
	b.writeConfig(strings.Replace(nightly, "pipelines:\n", "  acme: {base_url: \"${ACME_URL}\", token: \"${ACME_TOKEN}\"}\npipelines:\n", 1))
	return b, acme
}

// streamEndings returns how the streams of a workspace ended, each outcome once.
func streamEndings(report *runlog.Report, workspace string) (ways []string) {
	for _, s := range report.Streams {
		if s.Workspace == workspace {
			ways = append(ways, strings.TrimSpace(string(s.Status)+" "+s.Class))
		}
	}
	slices.Sort(ways)
	return slices.Compact(ways)
}

// TestRefusedTokenOfOneWorkspaceStopsNoOther has two workspaces. The token of one is refused before its first read, works, and is revoked during a
// run.
func TestRefusedTokenOfOneWorkspaceStopsNoOther(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	b, acme := newBedPair(t)
	expect := func(report *runlog.Report, exit int, main, others string) {
		t.Helper()
		if got := [2]string{strings.Join(streamEndings(report, "main"), ","), strings.Join(streamEndings(report, "acme"), ",")}; report.Exit() != exit || got != [2]string{main, others} {
			t.Fatalf("ended %s, %v\n%+v", report.LastLine(), got, report.Streams)
		}
		oracletest.CompareAll(t, b.space, b.runner.Dir.Current())
	}

	b.env["ACME_TOKEN"] = "dG9rOjEyMzQ1Njc4"
	b.writeConfig(b.readConfig())
	report := b.trySync(runner.Options{})
	expect(report, problem.ExitRefused, "ok", "FAILED auth,interrupted")
	told := slices.DeleteFunc(report.Streams, func(s runlog.StreamResult) bool { return s.Error == "" })
	if len(told) != 1 || told[0].Workspace != "acme" || !strings.Contains(told[0].Error, "401") || !strings.HasPrefix(told[0].Next, "set a token that is valid for workspace acme") ||
		!strings.Contains(told[0].Next, ", then: aqueduck sync nightly --failed;") {
		t.Errorf("%+v", told)
	}
	if asked := acme.space.RequestCount(); asked != 1 {
		t.Errorf("the workspace that refuses was asked %d times", asked)
	}

	b.env["ACME_TOKEN"] = acme.space.AccessToken()
	b.writeConfig(b.readConfig())
	report = b.trySync(runner.Options{Failed: true})
	if got := streamEndings(report, "main"); len(got) > 0 {
		t.Errorf("streams that had ended well were read again: %v", got)
	}
	expect(report, problem.ExitOK, "", "ok")
	if got, want := b.queryRows("SELECT count(*) FROM acme.contacts")[0], b.queryRows("SELECT count(*) FROM contacts")[0]; got == "0" || want == "0" {
		t.Errorf("%s contacts of the one, %s of the other", got, want)
	}

	b.env["ACME_TOKEN"] = "dG9rOjEyMzQ1Njc4"
	b.writeConfig(b.readConfig())
	for _, s := range b.trySync(runner.Options{FullRefresh: true}).Streams {
		if s.Workspace == "acme" && (s.Backfill < 1 || s.Stream == "contacts" && s.SyncedTo.IsZero() || !strings.Contains(s.Next, "aqueduck sync nightly --full-refresh")) {
			t.Errorf("a refresh that did not reach it: %+v", s)
		}
	}
	b.env["ACME_TOKEN"] = acme.space.AccessToken()
	b.writeConfig(b.readConfig())

	asked := acme.space.RequestCount()
	acme.space.SetKnobs(func(k *emulator.Knobs) { k.RevokeAt = asked + 3 })
	b.space.Advance(time.Hour)
	_, err := b.space.CreateContact("user")
	b.failOn(err)
	report = b.trySync(runner.Options{})
	if ways := streamEndings(report, "acme"); report.Exit() != problem.ExitRefused || !slices.Equal(streamEndings(report, "main"), []string{"ok"}) || !slices.Contains(ways, "FAILED auth") {
		t.Errorf("ended %s, the refused %v", report.LastLine(), ways)
	}
	oracletest.CompareAll(t, b.space, b.runner.Dir.Current())
}

// TestRefusedTokensOfAllWorkspacesEndTheRun with one message, as with a single workspace.
func TestRefusedTokensOfAllWorkspacesEndTheRun(t *testing.T) {
	t.Parallel()
	b, _ := newBedPair(t)
	b.env["ACME_TOKEN"], b.env["WORKSPACE_TOKEN"] = "dG9rOjEyMzQ1Njc4", "dG9rOjEyMzQ1Njc4"
	b.writeConfig(b.readConfig())
	_, err := sync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	if p := problem.AsProblem(err); err == nil || p.ExitCode() != problem.ExitRefused || !strings.HasPrefix(p.Error(), "workspace main: read one record") {
		t.Errorf("%v", err)
	}
}

// TestARunOfOneWorkspaceLeavesTheOthers: it sends no request to them, and their tables stay as they are.
func TestARunOfOneWorkspaceLeavesTheOthers(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b, acme := newBedPair(t)
	syncOf := func(workspaces ...string) *runlog.Report {
		t.Helper()
		o := runner.Options{Workspaces: workspaces}
		chosen, err := b.runner.ChoosePipelines(nil, o)
		b.failOn(err)
		report, err := sync.Sync(t.Context(), b.runner, chosen[0], o)
		b.failOn(err)
		if report.Exit() != problem.ExitOK {
			t.Fatalf("the run ended %s", report.LastLine())
		}
		return report
	}
	syncOf("acme")
	if got := b.queryRows("SELECT count(*) FROM acme.contacts"); b.space.RequestCount() > 0 || got[0] == "0" {
		t.Errorf("%d requests to the other workspace, and %v contacts", b.space.RequestCount(), got)
	}
	asked := acme.space.RequestCount()
	if report := syncOf("main"); acme.space.RequestCount() != asked || len(streamEndings(report, "acme")) > 0 {
		t.Errorf("%d requests to the other workspace, and a report of %v", acme.space.RequestCount()-asked, streamEndings(report, "acme"))
	}
	oracletest.CompareAll(t, b.space, b.runner.Dir.Current())
	if got := b.queryRows("SELECT count(*) FROM acme.contacts"); got[0] == "0" {
		t.Error("the other workspace lost its rows")
	}
	if _, err := b.runner.ChoosePipelines(nil, runner.Options{Workspaces: []string{"acne"}}); err == nil || !strings.Contains(err.Error(), `there is no workspace "acne"`) {
		t.Errorf("an unknown workspace: %v", err)
	}
}

// withPipelineEach gives each workspace of the pair a pipeline of its own.
func (b *testBed) withPipelineEach() {
	b.t.Helper()
	b.writeConfig(strings.Replace(b.readConfig(), "  nightly: {schedule: \"0 2 * * *\", streams: [contacts, deleted_contacts, contact_activities]}",
		"  ours: {workspaces: [main], streams: [contacts]}\n  theirs: {workspaces: [acme], streams: [contacts]}", 1))
}

// TestAnErasureOutlivesAPublishOfAnotherWorkspace: it is recorded, and a publish held back keeps its files. The operator accepts the loss in a run that
// does not read the person's workspace. Only the next run, which writes the Parquet files of both, ends the erasure.
func TestAnErasureOutlivesAPublishOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b, acme := newBedPair(t)
	b.withPipelineEach()
	b.publishingLake()
	person, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: canary})
	b.failOn(err)
	syncOf := func(i, exit int, o runner.Options) {
		t.Helper()
		for _, space := range []*emulator.Workspace{b.space, acme.space} {
			space.Advance(time.Hour)
		}
		report, err := sync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[i], o)
		if b.failOn(err); report.Exit() != exit {
			t.Fatalf("the run ended %s", report.LastLine())
		}
	}
	syncOf(0, problem.ExitOK, runner.Options{})
	syncOf(1, problem.ExitOK, runner.Options{})
	acme.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = dropTags })
	syncOf(1, problem.ExitBreached, runner.Options{FullRefresh: true})
	_, err = admin.Erase(t.Context(), b.runner, person, func([]admin.Erased) (bool, error) { return true, nil })
	if err == nil || !strings.Contains(err.Error(), "the erasure is recorded") || !b.inLake(canary) {
		t.Fatalf("the erasure ended with %v", err)
	}
	syncOf(1, problem.ExitOK, runner.Options{AcceptDrop: []string{"contact_tags_raw"}})
	if b.inLake(canary) && !b.runner.Dir.Erasing() {
		t.Error("a Parquet file has the person, and the erasure counts as ended")
	}
	syncOf(1, problem.ExitOK, runner.Options{})
	if b.inLake(canary) || b.runner.Dir.Erasing() || len(b.filesContaining(string(b.runner.Dir), canary)) > 0 {
		t.Error("the next run has not ended the erasure")
	}
}

// TestTheLakesOfTwoPipelinesFollowEverySoOften: each workspace has a pipeline of its own, and both publish each hour.
func TestTheLakesOfTwoPipelinesFollowEverySoOften(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	b, acme := newBedPair(t)
	b.writeConfig(strings.Replace(b.readConfig(), "{dir: data}", "{dir: data, parquet: 2h}", 1))
	b.withPipelineEach()
	b.publishingLake()
	followed := map[string][]int{}
	for hour := range 4 {
		for _, space := range []*emulator.Workspace{b.space, acme.space} {
			space.Advance(time.Hour)
			b.failOn(space.TagContact(space.ContactIDs("active")[hour], 1))
		}
		for i, name := range []string{"main", "acme"} {
			before, _ := publish.LoadManifest(b.runner.Dir.Lake(name))
			report, err := sync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[i], runner.Options{})
			b.failOn(err)
			if report.Exit() != problem.ExitOK || !report.Published {
				t.Fatalf("the run ended %s", report.LastLine())
			}
			after, err := publish.LoadManifest(b.runner.Dir.Lake(name))
			b.failOn(err)
			if !after.PublishedAt.Equal(before.PublishedAt) {
				followed[name] = append(followed[name], hour)
			}
		}
	}
	if want := []int{0, 2}; !slices.Equal(followed["main"], want) || !slices.Equal(followed["acme"], want) {
		t.Errorf("the lakes followed in the hours %v, want %v", followed, want)
	}
	v, err := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Requests: 50}, func(string) {})
	if b.failOn(err); v.Exit() != problem.ExitOK || len(v.Lakes) != 2 {
		t.Error(verificationText(v))
	}
}
