package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// walkList reads a list to its end by whatever next page it names, with the default page size unless the query has one.
func (c *apiClient) walkList(path string) (all []map[string]any, first apiReply) {
	c.t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	first = c.do("GET", path, nil)
	for r := first; ; {
		if r.status != 200 || r.json["type"] != "list" {
			c.t.Fatalf("%s: %d %s", path, r.status, r.raw)
		}
		all = append(all, r.dataItems()...)
		switch next := r.nextPage(); {
		case next == nil:
			return all, first
		case next["starting_after"] != nil:
			r = c.do("GET", path+join+"starting_after="+next["starting_after"].(string), nil)
		default:
			r = c.do("GET", fmt.Sprintf("%s%spage=%d", path, join, toInt(next["page"])), nil)
		}
	}
}

// timesToUnix turns ISO-8601 times into seconds, as the oracle has them.
func timesToUnix(t testing.TB, list []map[string]any) []map[string]any {
	for _, row := range list {
		for _, name := range []string{"created_at", "updated_at"} {
			if text, ok := row[name].(string); ok {
				at, err := time.Parse(time.RFC3339, text)
				if err != nil {
					t.Fatal(err)
				}
				row[name] = at.Unix()
			}
		}
	}
	return list
}

func (c *apiClient) sameContent(t *testing.T, stream string, served []map[string]any) {
	t.Helper()
	want := c.w.Oracle(stream)
	for _, list := range [][]map[string]any{served, want} {
		for _, row := range list {
			dropNulls(row)
		}
	}
	sameRows(t, stream, plainRows(timesToUnix(t, served)), sameJSON(want))
}

// workspace-api 2.5, 2.6, 4.6, 4.9, 4.11.
func TestContentIsServedAsTheOracleSaysAfterEveryHour(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 60})
	for range 5 {
		for _, list := range []struct {
			section, stream, path string
			page                  int
		}{
			{"none", "collections", "/help_center/collections", 20},
			{"4.11", "internal_articles", "/internal_articles", 50},
			{"2.6, 4.9", "newsfeeds", "/news/newsfeeds", 10},
			{"4.11", "news_items", "/news/news_items", 10},
			{"4.11", "folders", "/folders?per_page=5", 5},
			{"none", "data_connectors", "/data_connectors", 20},
		} {
			all, first := c.walkList(list.path)
			if len(first.dataItems()) != list.page {
				t.Errorf("%s (%s): %d on a page", list.path, list.section, len(first.dataItems()))
			}
			c.sameContent(t, list.stream, all)
		}
		listed, first := c.walkList("/articles")
		var articles, versions []map[string]any
		for _, a := range listed {
			articles = append(articles, c.do("GET", fmt.Sprintf("/articles/%v", a["id"]), nil).json) // 2.5: an integer, and text in the path
		}
		if a := first.dataItems(); len(a) != 25 || a[0]["statistics"] != nil || toInt(a[0]["updated_at"]) < toInt(a[24]["updated_at"]) {
			t.Errorf("a page of %d articles: %v", len(a), a[0])
		}
		c.sameContent(t, "articles", articles)
		connectors, _ := c.walkList("/data_connectors")
		for _, one := range connectors {
			list, _ := c.walkList("/data_connectors/" + one["id"].(string) + "/versions")
			if !slices.IsSortedFunc(list, func(a, b map[string]any) int { return toInt(b["version_number"]) - toInt(a["version_number"]) }) {
				t.Error("4.11: versions are not the newest first")
			}
			versions = append(versions, list...)
		}
		c.sameContent(t, "data_connector_versions", versions)
		c.w.SimulateHours(2)
	}
}

// workspace-api 4.11, 5.4 and the public form: counters in the envelope, and no pages.
func TestDynamicContentsHaveNoPagesAndMayBeDisabled(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 8, Contacts: 60})
	c.w.SimulateHours(3)
	first, second := c.do("GET", "/dynamic_contents", nil), c.do("GET", "/dynamic_contents?page=2", nil)
	if _, there := first.json["pages"]; there || len(first.dataItems()) != 50 || toInt(first.json["total_pages"]) != 2 || toInt(second.json["page"]) != 2 {
		t.Errorf("counters %v %v", first.json["total_pages"], second.json["page"])
	}
	all := append(first.dataItems(), second.dataItems()...)
	if !slices.IsSortedFunc(all, func(a, b map[string]any) int { return toInt(b["updated_at"]) - toInt(a["updated_at"]) }) {
		t.Error("4.11: not the most recently updated first")
	}
	c.sameContent(t, "dynamic_contents", all)
	c.w.SetKnobs(func(k *emulator.Knobs) { k.NoDynamicContent = true })
	for _, path := range []string{"/dynamic_contents", "/dynamic_contents/2200"} {
		if r := c.do("GET", path, nil); r.status != 403 {
			t.Errorf("5.4: %s answers %d where it is disabled", path, r.status)
		}
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Forbidden = []string{"data_connectors.versions"} })
	if r := c.do("GET", "/data_connectors/5100/versions", nil); r.status != 403 {
		t.Errorf("5.3: without read_data_connector_versions: %d", r.status)
	}
}

// Traps T91 to T93.
func TestT93ArticlesHaveDynamicContentByVersionAndStatisticsThatMove(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	bodies := func() string {
		all, _ := c.walkList("/articles?per_page=250")
		var text []string
		for _, a := range all {
			if text = append(text, a["body"].(string)); a["translated_content"].(map[string]any)["type"] != "article_translated_content" {
				t.Errorf("T91: %v", a["translated_content"])
			}
			if _, filed := a["folder_id"]; filed == (c.version == "2.16") {
				t.Errorf("9: folder_id in %s: %t", c.version, filed)
			}
		}
		return strings.Join(text, "\n")
	}
	late := bodies()
	c.version = "2.16"
	early := bodies()
	const element, literal = `data-service-dynamic-content-key="key_`, "#{{dynamic_content:key_"
	if strings.Count(late, element) < 10 || strings.Contains(late, literal) || strings.Contains(early, element) || !strings.Contains(early, literal) {
		t.Errorf("2.5: %d elements; in 2.16 %d", strings.Count(late, element), strings.Count(early, element))
	}
	if strings.Count(early, literal) >= strings.Count(late, element) {
		t.Error("2.5: block references are there in 2.16")
	}
	before := c.do("GET", "/articles/9400011", nil)
	c.w.Advance(1000 * time.Hour)
	after := c.do("GET", "/articles/9400011", nil)
	if fmt.Sprint(before.json["statistics"]) == fmt.Sprint(after.json["statistics"]) || before.json["updated_at"] != after.json["updated_at"] {
		t.Errorf("T92: statistics %v", after.json["statistics"])
	}
}

// workspace-api 4.11: one version by its own id, and the folders of one folder.
func TestPartsOfContentAreReadByTheirIDs(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	version := c.do("GET", "/data_connectors/5100/versions", nil).dataItems()[0]["entity_version_id"].(string)
	if r := c.do("GET", "/data_connectors/5100/versions/"+version, nil); r.json["entity_version_id"] != version {
		t.Errorf("4.11: version %s is %s", version, r.raw)
	}
	within := c.do("GET", "/folders?parent_folder_id=660", nil).dataItems()
	for _, one := range within {
		if one["parent_folder_id"] != "660" {
			t.Errorf("4.11: a folder of another: %v", one)
		}
	}
	if len(within) == 0 {
		t.Error("4.11: no folder lies in 660")
	}
}
