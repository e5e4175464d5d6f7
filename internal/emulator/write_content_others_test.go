package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// Section 4.11, with the rules of variations below its table; 5.3, 5.4.
func TestContract4_11DynamicContentsAreWritten(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	now := c.w.CurrentTime().Unix()
	d := c.writeOK("POST", "/dynamic_contents", m{"name": "A & B", "content_type": "inline", "default_locale": "de", "variations": []m{
		{"locale": "de", "value": "fünf"}, {"locale": "de", "brand_id": 7, "body": "5"}, {"locale": "en", "intentionally_empty": true, "value": "ignored"}}})
	id, key := d["id"].(string), d["key"].(string)
	checkFields(t, "4.11", d, m{"type": "dynamic_content", "name": "A &amp; B", "content_type": "inline", "default_locale": "de", "created_at": now, "variations": []m{
		{"locale": "de", "brand_id": nil, "body": "fünf", "intentionally_empty": false}, {"locale": "de", "brand_id": "7", "body": "5", "intentionally_empty": false},
		{"locale": "en", "brand_id": nil, "body": nil, "intentionally_empty": true}}})
	c.w.Advance(time.Minute)
	d = c.writeOK("PUT", "/dynamic_contents/"+id, m{"name": "C", "content_type": "block", "key": "other"})
	checkFields(t, "what it is stays", d, m{"name": "C", "content_type": "inline", "key": key, "default_locale": "de", "updated_at": now + 60})
	if len(d["variations"].([]any)) != 3 {
		t.Errorf("variations that were not sent: %v", d["variations"])
	}
	d = c.writeOK("PUT", "/dynamic_contents/"+id, m{"default_locale": "en", "variations": []m{{"locale": "en", "body": "five"}}})
	checkFields(t, "4.11: variations replaces the whole set", d, m{"default_locale": "en", "variations": []m{{"locale": "en", "brand_id": nil, "body": "five", "intentionally_empty": false}}})
	if first := c.do("GET", "/dynamic_contents", nil).dataItems()[0]; first["id"] != id {
		t.Errorf("4.11: the most recently updated is not the first: %v", first)
	}
	article := fmt.Sprint(c.writeOK("POST", "/articles", m{"title": "t", "author_id": 5,
		"translated_content": m{"de": m{"title": "t", "body": `<span class="service-dynamic-content" data-service-dynamic-content-key="` + key + `"></span>`}}})["id"])
	c.compareContent(t)
	if r := c.do("DELETE", "/dynamic_contents/"+id, nil); r.status != 400 || c.oracleRow("dynamic_contents", id) == nil {
		t.Errorf("4.11: an article uses it: %d %s", r.status, r.raw)
	}
	if r := c.do("POST", "/_emulator/do/content.remove", m{"kind": "dynamic_contents", "id": "2200"}); r.status != 400 {
		t.Errorf("4.11: drawn articles use it: %d %s", r.status, r.raw)
	}
	c.writeOK("PUT", "/articles/"+article, m{"translated_content": m{"de": m{"body": ""}}})
	checkFields(t, "deleted", c.writeOK("DELETE", "/dynamic_contents/"+id, nil), m{"id": id, "object": "dynamic_content", "deleted": true})
	c.compareContent(t)
	whole := m{"name": "n", "content_type": "block", "variations": []m{{"locale": "en", "body": "<p>b</p>"}}}
	whole["key"] = "mine"
	mine := c.createRecord("POST", "/dynamic_contents", whole)
	if r := c.do("POST", "/dynamic_contents", whole); r.status != 400 || !strings.Contains(string(r.raw), "key must be") {
		t.Errorf("2.5: a key that is taken: %d %s", r.status, r.raw)
	}
	c.writeOK("DELETE", "/dynamic_contents/"+mine, nil)
	checkFields(t, "a key that is free again", c.writeOK("POST", "/dynamic_contents", whole), m{"key": "mine"})
	delete(whole, "key")
	c.failOn(c.w.AddToken("reader", "read_dynamic_content", "read_write_data_connector_versions"))
	c.failOn(c.w.AddToken("writer", "read_write_dynamic_content"))
	for _, token := range []string{"Bearer reader", "Bearer writer"} {
		c.auth = token
		want := map[string]int{"Bearer reader": 403, "Bearer writer": 200}[token]
		for _, r := range []apiReply{c.do("POST", "/dynamic_contents", whole), c.do("PUT", "/dynamic_contents/2211", m{"name": "n"}), c.do("DELETE", "/dynamic_contents/2750", nil)} {
			if r.status != want {
				t.Errorf("5.3: %s is answered %d %s", token, r.status, r.raw)
			}
		}
	}
	c.auth = ""
	c.w.SetKnobs(func(k *emulator.Knobs) { k.NoDynamicContent = true })
	for _, r := range []apiReply{c.do("POST", "/dynamic_contents", whole), c.do("PUT", "/dynamic_contents/2211", m{}), c.do("DELETE", "/dynamic_contents/2222", nil)} {
		if r.status != 403 {
			t.Errorf("5.4: where it is disabled: %d %s", r.status, r.raw)
		}
	}
}

// Section 4.11: folders can be nested, and only empty ones can be deleted.
func TestContract4_11FoldersAreWritten(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	top := c.writeOK("POST", "/folders", m{"name": "top"})
	checkFields(t, "4.11", top, m{"type": "folder", "name": "top", "parent_folder_id": nil, "created_at": c.w.CurrentTime().Unix()})
	id := top["id"].(string)
	inner := c.createRecord("POST", "/folders", m{"name": "inner", "parent_folder_id": json.Number(id)})
	within := c.do("GET", "/folders?parent_folder_id="+id, nil).itemIDs()
	if !slices.Equal(within, []string{inner}) {
		t.Errorf("4.11: in %s lie %v", id, within)
	}
	deleted := func(when string, want int) {
		t.Helper()
		if r := c.do("DELETE", "/folders/"+id, nil); r.status != want {
			t.Errorf("4.11: %s: %d %s", when, r.status, r.raw)
		}
	}
	deleted("a folder lies in it", 400)
	c.writeOK("PUT", "/folders/"+inner, m{"parent_folder_id": nil, "name": "outer"})
	note := fmt.Sprint(c.writeOK("POST", "/internal_articles", m{"title": "t", "owner_id": 5, "author_id": 5, "folder_id": id})["id"])
	deleted("an internal article lies in it", 400)
	c.writeOK("DELETE", "/internal_articles/"+note, nil)
	c.writeOK("PUT", "/articles/9400000", m{"folder_id": id})
	deleted("an article lies in it", 400)
	c.writeOK("PUT", "/articles/9400000", m{"folder_id": "660"})
	c.compareContent(t)
	checkFields(t, "deleted", c.writeOK("DELETE", "/folders/"+id, nil), m{"id": id, "object": "folder", "deleted": true})
	deleted("it is not there any more", 404)
	checkFields(t, "renamed", c.writeOK("GET", "/folders/"+inner, nil), m{"name": "outer", "parent_folder_id": nil})
	const deletedFolder = "726" // the drawn parent of some later items
	for _, kind := range []string{"articles", "internal_articles"} {
		for _, row := range c.w.Oracle(kind) {
			if row["folder_id"] == deletedFolder {
				c.writeOK("PUT", fmt.Sprint("/", kind, "/", row["id"]), m{"folder_id": nil})
			}
		}
	}
	c.writeOK("DELETE", "/folders/"+deletedFolder, nil)
	for range 12 {
		for _, kind := range []string{"articles", "internal_articles", "folders"} {
			_, err := c.w.CreateContent(kind)
			failOn(t, err)
		}
	}
	for _, kind := range []string{"articles", "internal_articles", "folders"} {
		for _, row := range c.w.Oracle(kind) {
			if row["folder_id"] == deletedFolder || row["parent_folder_id"] == deletedFolder {
				t.Errorf("%s %s came into a folder that is gone", kind, row["id"])
			}
		}
	}
	c.compareContent(t)
}

// Sections 2.6, 4.11, 9: news items are published at a time in the past.
func TestContract4_11NewsItemsAreWritten(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	now := c.w.CurrentTime().Unix()
	n := c.writeOK("POST", "/news/news_items", m{"title": "News", "body": "<p>b</p>", "sender_id": 814861,
		"newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": now - 50}, {"newsfeed_id": "590", "published_at": now - 90}, {"newsfeed_id": 601}}})
	id := n["id"].(string)
	checkFields(t, "4.11", n, m{"type": "news-item", "title": "News", "body": "<p>b</p>", "sender_id": 814861, "state": "live", "published_at": now - 90, "created_at": now,
		"newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": now - 50}, {"newsfeed_id": 590, "published_at": now - 90}, {"newsfeed_id": 601, "published_at": now}}})
	in := func(feed string) bool {
		list, _ := c.walkList("/news/newsfeeds/" + feed + "/items")
		return slices.ContainsFunc(list, func(n map[string]any) bool { return n["id"] == id })
	}
	if !in("480") || !in("590") || !in("601") || in("491") {
		t.Error("2.6: it is not in the newsfeeds that it was assigned to")
	}
	c.w.Advance(time.Minute)
	n = c.writeOK("PUT", "/news/news_items/"+id, m{"newsfeed_assignments": []m{{"newsfeed_id": 491}, {"newsfeed_id": 480}}})
	checkFields(t, "assigned anew", n, m{"title": "News", "published_at": now - 50, "updated_at": now + 60,
		"newsfeed_assignments": []m{{"newsfeed_id": 491, "published_at": now + 60}, {"newsfeed_id": 480, "published_at": now - 50}}})
	if in("590") || !in("491") {
		t.Error("2.6: it is in the newsfeeds as before")
	}
	c.compareContent(t)
	c.version = "2.13"
	n = c.writeOK("PUT", "/news/news_items/"+id, m{"title": "Old"})
	if _, dated := n["published_at"]; dated || jsonText(n["newsfeed_assignments"]) != `[{"newsfeed_id":491},{"newsfeed_id":480}]` {
		t.Errorf("9: in 2.13: %v", n)
	}
	c.writeOK("PUT", "/news/news_items/"+id, m{"newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": now + 1000}, {"newsfeed_id": 601, "published_at": "x"}}})
	c.version = "2.17"
	checkFields(t, "9: times are not known in 2.13", c.do("GET", "/news/news_items/"+id, nil).json, m{"published_at": now - 50,
		"newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": now - 50}, {"newsfeed_id": 601, "published_at": now + 60}}})
	n = c.writeOK("PUT", "/news/news_items/"+id, m{"newsfeed_assignments": []m{}})
	checkFields(t, "in no newsfeed", n, m{"state": "draft", "published_at": nil, "newsfeed_assignments": []m{}})
	c.compareContent(t)
	checkFields(t, "deleted", c.writeOK("DELETE", "/news/news_items/"+id, nil), m{"id": id, "object": "news-item", "deleted": true})
	if c.do("GET", "/news/news_items/"+id, nil).status != 404 {
		t.Error("7: deleted and there")
	}
}

// Sections 4.11, 5.3: the note of a version does not change the connector.
func TestContract4_11ANoteOfAVersionIsWritten(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	c.failOn(c.w.EditContent("data_connectors", "5100"))
	c.w.Advance(time.Minute)
	connector := c.do("GET", "/data_connectors/5100", nil)
	before := c.do("GET", "/data_connectors/5100/versions", nil).dataItems()
	version := before[1]["entity_version_id"].(string)
	path := "/data_connectors/5100/versions/" + version
	noted := c.writeOK("PATCH", path, m{"note": "Größe <b>"})
	checkFields(t, "4.11", noted, m{"entity_version_id": version, "note": "Größe <b>", "created_at": before[1]["created_at"], "updated_at": c.w.CurrentTime().UTC().Format(time.RFC3339)})
	after := c.do("GET", "/data_connectors/5100/versions", nil).dataItems()
	if jsonText(after[1]) != jsonText(noted) || jsonText(after[0]) != jsonText(before[0]) || len(after) != len(before) {
		t.Errorf("4.11: versions are %v", after)
	}
	list, _ := c.walkList("/data_connectors")
	var versions []map[string]any
	for _, one := range list {
		of, _ := c.walkList("/data_connectors/" + one["id"].(string) + "/versions")
		versions = append(versions, of...)
	}
	c.sameContent(t, "data_connector_versions", versions)
	checkFields(t, "an empty string clears it", c.writeOK("PATCH", path, m{"note": ""}), m{"note": nil})
	if now := c.do("GET", "/data_connectors/5100", nil); string(now.raw) != string(connector.raw) {
		t.Errorf("4.11: the live connector is %s", now.raw)
	}
	for token, want := range map[string]int{"read_data_connector_versions": 403, "read_write_dynamic_content": 403, "read_write_data_connector_versions": 200} {
		c.failOn(c.w.AddToken(token, token))
		c.auth = "Bearer " + token
		if r := c.do("PATCH", path, m{"note": "x"}); r.status != want {
			t.Errorf("5.3: with %s: %d", token, r.status)
		}
	}
}
