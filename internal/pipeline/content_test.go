package pipeline_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// onlyStreams is a pipeline of some streams only.
func onlyStreams(streams string) string {
	return strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", streams, 1)
}

// TestT92ArticleStatisticsChangeWithoutUpdatedAt and are found nevertheless, with one request for each article. While they do not change, no row
// is written.
func TestT92ArticleStatisticsChangeWithoutUpdatedAt(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(160), onlyStreams("articles"))
	b.syncOnce(runner.Options{})
	const asked = "SELECT max(updated_at), sum(views), count(*) FROM articles"
	before := b.queryRows(asked)[0]
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		t.Errorf("within the hour: %s", report.LastLine())
	}
	b.space.Advance(time.Hour)
	s := streamResult(t, b.syncOnce(runner.Options{}), "articles")
	after := b.queryRows(asked)[0]
	if count := fmt.Sprint(s.Changed); s.Gone != 0 || !strings.HasSuffix(before, "|"+count) || s.Requests != s.Changed+1 {
		t.Errorf("an hour later: %+v", s)
	}
	if before == after || before[:strings.Index(before, "|")] != after[:strings.Index(after, "|")] {
		t.Errorf("%s, and an hour later %s", before, after)
	}
	contentHolds(t, b, "articles")
}

// TestT56SweepReadsEachRecordByIDOnce in a run, however often it reads the list. A record that cannot be read blocks no other and is not gone; one
// that the source deleted meanwhile is gone.
func TestT56SweepReadsEachRecordByIDOnce(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(164), onlyStreams("articles"))
	all := b.space.Oracle("articles")
	id := func(n int) string { return all[n]["id"].(string) }
	fail := func(one string) {
		b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
			if r.URL.Path == "/articles/"+one {
				return &fault.Fault{Status: http.StatusInternalServerError}
			}
			return nil
		})
	}
	fail(id(3))
	if report := b.trySync(runner.Options{}); report.Exit() != problem.ExitFailed || report.TotalRows() == 0 {
		t.Errorf("one that cannot be read: %s", report.LastLine())
	}
	fail("")
	b.syncOnce(runner.Options{})
	contentHolds(t, b, "articles")
	b.space.Advance(time.Minute)
	b.failOn(b.space.RemoveContent("articles", id(0)))
	fail(id(5))
	if report := b.trySync(runner.Options{}); report.Exit() != problem.ExitFailed || streamResult(t, report, "articles").Gone != 1 {
		t.Errorf("one has left, one cannot be read: %s", report.LastLine())
	}
	fail("")
	b.space.Advance(time.Minute)
	removed := false
	b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/articles/"+id(7) && !removed {
			removed = true
			b.failOn(b.space.RemoveContent("articles", id(7)))
		}
		return false
	})
	s := streamResult(t, b.syncOnce(runner.Options{}), "articles")
	if s.Gone != 1 || s.Requests != int64(len(all)-1+1) {
		t.Errorf("one leaves after it was listed: %+v", s)
	}
	contentHolds(t, b, "articles")
	oracletest.CompareRows(t, "gone", b.queryRows("SELECT id FROM articles_all WHERE _gone_at IS NOT NULL AND title IS NOT NULL"), []string{id(0), id(7)})
	if s := streamResult(t, b.syncOnce(runner.Options{FullRefresh: true}), "articles"); s.Rows != 0 {
		t.Errorf("without news: %+v", s)
	}
}

// contentHolds compares the streams of contentCases with the oracle.
func contentHolds(t testing.TB, b *testBed, streams ...string) {
	t.Helper()
	for _, c := range contentCases() {
		for _, table := range c.tables {
			if table.Oracle == "" {
				table.Oracle = c.stream
			}
			if slices.Contains(streams, c.stream) {
				b.reader.CompareTables(t, b.space, b.runner.Dir.Current(), nil, table)
			}
		}
	}
}

// TestT93DynamicContentReferencesAreExtracted from the bodies in each language: as elements, and before the later version as literal text, which
// has no blocks. They follow the API version and changes of the body.
func TestT93DynamicContentReferencesAreExtracted(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	config := onlyStreams("articles")
	b := newBedWith(t, tinyConfig(161), strings.Replace(config, "2.17", "2.16", 1))
	b.syncOnce(runner.Options{})
	early := b.articleReferences()
	oracletest.CompareRows(t, "up to 2.16", early, b.elementReferences("span"))
	b.writeConfig(config)
	b.syncOnce(runner.Options{})
	late := b.articleReferences()
	oracletest.CompareRows(t, "in the later version", late, b.elementReferences("span", "div"))
	if len(early) == 0 || len(late) <= len(early) {
		t.Fatalf("%d references, %d before", len(late), len(early))
	}
	gone, _, _ := strings.Cut(late[0], "|")
	b.space.Advance(time.Minute)
	b.failOn(b.space.RemoveContent("articles", gone))
	odd := b.queryRows("SELECT id FROM articles WHERE id NOT IN (SELECT article_id FROM article_dynamic_contents) LIMIT 1")[0]
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(_ string, body []byte) []byte {
			var record map[string]json.RawMessage
			if err := json.Unmarshal(body, &record); err != nil || string(record["id"]) != odd {
				return body
			}
			record["body"] = rawJSON(t, `<p>data-x-dynamic-content-key="none"<DIV id=a data-x-dynamic-content-key='one' class="x-dynamic-content">`+
				"\n<i>a</i></DIV>"+`<span data-x-dynamic-content-key="two"></span> <span data-x-dynamic-content-key="two">again</span>#{{dynamic_content:three}}`)
			record["translated_content"] = rawJSON(t, nil)
			return rawJSON(t, record)
		}
	})
	b.syncOnce(runner.Options{})
	want := []string{odd + "|en|one|block", odd + "|en|two|inline", odd + "|en|three|inline"}
	for _, row := range late {
		if !strings.HasPrefix(row, gone+"|") {
			want = append(want, row)
		}
	}
	oracletest.CompareRows(t, "of other forms, and without what is gone", b.articleReferences(), want)
}

func (b *testBed) articleReferences() []string {
	b.t.Helper()
	return b.queryRows("SELECT article_id, locale, dynamic_content_key, content_type FROM article_dynamic_contents ORDER BY ALL")
}

// elementReferences returns the references in bodies of the later version, by the names of their elements.
func (b *testBed) elementReferences(elements ...string) (all []string) {
	b.t.Helper()
	for _, row := range b.space.Oracle("articles") {
		translated := map[string]json.RawMessage{}
		b.failOn(json.Unmarshal([]byte(row["translated_content"].(string)), &translated))
		for locale, text := range translated {
			var says struct{ Body string }
			if locale == "type" {
				continue
			}
			b.failOn(json.Unmarshal(text, &says))
			for _, element := range elements {
				kind := map[string]string{"span": "inline", "div": "block"}[element]
				_, rest, found := strings.Cut(says.Body, "<"+element+` class="service-dynamic-content" data-service-dynamic-content-key="`)
				if key, _, _ := strings.Cut(rest, `"`); found {
					all = append(all, fmt.Sprintf("%s|%s|%s|%s", row["id"], locale, key, kind))
				}
			}
		}
	}
	return all
}

// TestContentOutsideTheScopeIsUnavailable, and is read as soon as the token has the scope. Child streams wait until then.
func TestContentOutsideTheScopeIsUnavailable(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(162), onlyStreams("dynamic_contents, data_connectors, data_connector_versions"))
	b.failOn(b.space.AddToken("none"))
	b.failOn(b.space.AddToken("writer", "read_write_dynamic_content", "read_write_data_connector_versions"))
	why := "scope"
	step := func(when, token string, knobs func(k *emulator.Knobs), unavailable ...string) *runlog.Report {
		t.Helper()
		b.env = map[string]string{"WORKSPACE_TOKEN": token}
		b.space.SetKnobs(knobs)
		b.space.Advance(time.Minute)
		report := b.trySync(runner.Options{})
		var got []string
		for _, s := range report.Streams {
			if s.Status == runlog.StatusUnavailable {
				got = append(got, s.Stream)
			}
			if s.Status == runlog.StatusUnavailable && (s.Class != why || why == "scope" && !strings.Contains(s.Next, "the scope read_d")) || s.Gone != 0 || s.Status == runlog.StatusFailed {
				t.Errorf("%s: %+v", when, s)
			}
		}
		oracletest.CompareRows(t, when, got, unavailable)
		return report
	}
	strict := func(k *emulator.Knobs) { k.ReadScopesOnly = true }
	usual := func(k *emulator.Knobs) { k.ReadScopesOnly, k.NoDynamicContent, k.LaterOnly = false, false, false }
	step("without scopes", "none", usual, "dynamic_contents", "data_connector_versions")
	step("with scopes to write, strictly taken", "writer", strict, "dynamic_contents", "data_connector_versions")
	step("with scopes to write", "writer", usual)
	hold := func() { t.Helper(); contentHolds(t, b, "dynamic_contents", "data_connectors") }
	hold()
	step("while dynamic content is disabled", "writer", func(k *emulator.Knobs) { k.NoDynamicContent = true }, "dynamic_contents")
	hold()
	if report := step("when it is back", "writer", usual); report.TotalRows() != 0 {
		t.Errorf("%d rows were written again", report.TotalRows())
	}
	why = "not_found"
	b.writeConfig(strings.Replace(onlyStreams("dynamic_contents, folders, data_connectors"), "2.17", "2.16", 1))
	step("in a version that does not have it", "writer", func(k *emulator.Knobs) { k.LaterOnly = true }, "dynamic_contents", "folders")
	b.writeConfig(onlyStreams("dynamic_contents, data_connectors, data_connector_versions"))
	step("back in the version that has it", "writer", usual)
	version := b.space.Oracle("data_connector_versions")[0]
	b.writeViaAPI("PATCH", fmt.Sprint("/data_connectors/", version["data_connector_id"], "/versions/", version["entity_version_id"]), map[string]any{"note": "new"})
	s := streamResult(t, step("after a note", "writer", usual), "data_connector_versions")
	if got := b.queryRows("SELECT count(*) FROM data_connector_versions WHERE note = 'new'"); s.Changed != 1 || got[0] != "1" {
		t.Errorf("4.11: %s notes are new: %+v", got, s)
	}
}

// TestNestedFoldersAreFoundInBothFormsOfTheList: when the list has all folders, one request is enough; otherwise the contents of each folder are
// requested. Deleted folders are noticed either way, and never by an interrupted sweep.
func TestNestedFoldersAreFoundInBothFormsOfTheList(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(165)
	c.Knobs.TopFolders = true
	b := newBedWith(t, c, onlyStreams("folders"))
	if report := b.syncOnce(runner.Options{MaxRequests: 4}); report.TotalRows() == 0 || streamResult(t, report, "folders").Gone != 0 {
		t.Errorf("cut: %+v", report.Streams)
	}
	step := func(when string, rows, requests int, edit func(folders []map[string]any) []map[string]any) runlog.StreamResult {
		t.Helper()
		b.space.Advance(time.Minute)
		s := streamResult(t, b.syncOnce(runner.Options{}), "folders")
		if rows >= 0 && int(s.Rows) != rows || int(s.Requests) != requests {
			t.Errorf("%s, where %d requests are enough: %+v", when, requests, s)
		}
		b.reader.CompareTables(t, b.space, b.runner.Dir.Current(), func(_ oracletest.Table, folders []map[string]any) []map[string]any { return edit(folders) },
			oracletest.Table{Name: "folders", Oracle: "folders", Columns: []string{"id", "name", "parent_folder_id"}})
		return s
	}
	asTheyAre := func(folders []map[string]any) []map[string]any { return folders }
	all := b.space.Oracle("folders")
	step("each by what it lies in, once the walk that was cut has ended", -1, 2*(len(all)+1), asTheyAre)
	step("without news", 0, len(all)+1, asTheyAre)
	leaf := all[len(all)-1]["id"].(string)
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(_ string, body []byte) []byte {
			without := regexp.MustCompile(`,?\{"type":"folder","id":"`+leaf+`"[^}]*\}`).ReplaceAll(body, nil)
			if len(without) == len(body) {
				return body
			}
			return regexp.MustCompile(`"total_count":1\b`).ReplaceAll(without, []byte(`"total_count":0`))
		}
	})
	without := func(folders []map[string]any) []map[string]any { return folders[:len(folders)-1] }
	if s := step("one is gone", 1, 2*len(all), without); s.Gone != 1 {
		t.Errorf("%+v", s)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate, k.TopFolders = nil, false })
	step("all in the list, and it is back", 1, 1, asTheyAre)
	step("without news", 0, 1, asTheyAre)
}

// TestT94ListThatDoesNotAdvanceFails: the paging of these lists is not documented.
func TestT94ListThatDoesNotAdvanceFails(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	for name, next := range map[string]string{"to where it was": `{"page":1}`, "nowhere": `{"starting_after":""}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lists := []string{"newsfeeds", "news_items", "internal_articles", "folders"}
			b := newBedWith(t, tinyConfig(163), onlyStreams(strings.Join(lists, ", ")))
			b.space.SetKnobs(func(k *emulator.Knobs) {
				k.Mutate = func(route string, body []byte) []byte {
					var answer map[string]json.RawMessage
					if name, _, _ := strings.Cut(route, "."); !slices.Contains(lists, name) {
						return body
					}
					b.failOn(json.Unmarshal(body, &answer))
					answer["pages"] = json.RawMessage(`{"type":"pages","next":` + next + `}`)
					return rawJSON(t, answer)
				}
			})
			report := b.trySync(runner.Options{})
			for _, s := range report.Streams {
				if s.Status != runlog.StatusFailed || s.Gone != 0 || !strings.Contains(s.Error, s.Stream) {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}
