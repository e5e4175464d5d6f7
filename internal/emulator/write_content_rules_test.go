package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// refusalCase is a request that must be refused, with the expected error.
type refusalCase struct {
	rule, method, path string
	body               any
	status             int
	code, names        string // the message names what is wrong
}

func articleRefusals() []refusalCase {
	const span = `<span class="service-dynamic-content" data-service-dynamic-content-key="nothing">x</span>`
	return []refusalCase{
		{"no title", "POST", "/articles", m{"author_id": 5}, 400, "parameter_not_found", "title is missing"},
		{"no title left", "PUT", "/articles/9400000", m{"title": nil}, 400, "parameter_not_found", "title is null"},
		{"an empty title", "PUT", "/articles/9400000", m{"title": ""}, 400, "parameter_invalid", "title"},
		{"no author", "POST", "/articles", m{"title": "t"}, 400, "parameter_not_found", "author_id"},
		{"an author who is text", "POST", "/articles", m{"title": "t", "author_id": "x"}, 400, "parameter_invalid", "author_id"},
		{"7: an author who is not there", "POST", "/articles", m{"title": "t", "author_id": 814801}, 404, "not_found", "Admin"},
		{"another state", "PUT", "/articles/9400000", m{"state": "live"}, 400, "parameter_invalid", "state"},
		{"another kind of parent", "PUT", "/articles/9400000", m{"parent_type": "folder"}, 400, "parameter_invalid", "parent_type"},
		{"7: no such collection", "PUT", "/articles/9400000", m{"parent_id": 7}, 404, "not_found", "Collection"},
		{"7: no such folder", "PUT", "/articles/9400000", m{"folder_id": "7"}, 404, "not_found", "Folder"},
		{"no locale", "PUT", "/articles/9400000", m{"translated_content": m{"no.locale": m{"title": "t"}}}, 400, "parameter_invalid", "translated_content"},
		{"a language without a title", "PUT", "/articles/9400000", m{"translated_content": m{"fr": m{"body": "b"}}}, 400, "parameter_not_found", "translated_content.fr.title"},
		{"a language of another kind", "PUT", "/articles/9400000", m{"translated_content": m{"fr": 5}}, 400, "parameter_invalid", "translated_content.fr"},
		{"2.5: a reference to nothing", "PUT", "/articles/9400000", m{"body": span}, 400, "parameter_invalid", "nothing"},
		{"2.5: also in a language", "PUT", "/articles/9400000", m{"translated_content": m{"fr": m{"title": "t", "body": span}}}, 400, "parameter_invalid", "translated_content.fr.body"},
		{"no object", "POST", "/articles", []int{1}, 400, "parameter_invalid", "the body"},
		{"7: no such article", "PUT", "/articles/1", m{"title": "t"}, 404, "not_found", ""},
		{"7: no such article to delete", "DELETE", "/articles/1", nil, 404, "not_found", ""},
		{"no owner", "POST", "/internal_articles", m{"title": "t", "author_id": 5}, 400, "parameter_not_found", "owner_id"},
		{"7: an owner who is not there", "POST", "/internal_articles", m{"title": "t", "author_id": 5, "owner_id": 6}, 404, "not_found", "Admin"},
		{"no locale of internal articles", "PUT", "/internal_articles/7300000", m{"locale": "english"}, 400, "parameter_invalid", "locale"},
		{"7: no such internal article", "DELETE", "/internal_articles/1", nil, 404, "not_found", ""},
	}
}

func contentRefusals(now int64) []refusalCase {
	one := func(locale string) m { return m{"locale": locale, "body": "b"} }
	dynamic := func(more m) m {
		d := m{"name": "n", "content_type": "inline", "variations": []m{one("en")}}
		for name, v := range more {
			d[name] = v
		}
		return d
	}
	news := func(assigned ...m) m { return m{"title": "t", "sender_id": 5, "newsfeed_assignments": assigned} }
	return []refusalCase{
		{"no name of a folder", "POST", "/folders", m{}, 400, "parameter_not_found", "name"},
		{"7: no folder to lie in", "POST", "/folders", m{"name": "n", "parent_folder_id": "1"}, 404, "not_found", "Folder"},
		{"a folder in itself", "PUT", "/folders/660", m{"parent_folder_id": "660"}, 400, "parameter_invalid", "parent_folder_id"},
		{"a folder in one that lies in it", "PUT", "/folders/660", m{"parent_folder_id": "704"}, 400, "parameter_invalid", "parent_folder_id"},
		{"4.11: a folder that is not empty", "DELETE", "/folders/660", nil, 400, "client_error", "not empty"},
		{"4.11: news to come", "POST", "/news/news_items", news(m{"newsfeed_id": 480, "published_at": now + 1}), 400, "parameter_invalid", "newsfeed_assignments[0].published_at"},
		{"4.11: news in milliseconds", "POST", "/news/news_items", news(m{"newsfeed_id": 480, "published_at": now * 1000}), 400, "parameter_invalid", "published_at"},
		{"a time as text", "POST", "/news/news_items", news(m{"newsfeed_id": 480, "published_at": "yesterday"}), 400, "parameter_invalid", "published_at"},
		{"7: no such newsfeed", "POST", "/news/news_items", news(m{"newsfeed_id": 480}, m{"newsfeed_id": 1}), 404, "not_found", "Newsfeed"},
		{"a newsfeed twice", "POST", "/news/news_items", news(m{"newsfeed_id": 480}, m{"newsfeed_id": 480}), 400, "parameter_invalid", "[1].newsfeed_id"},
		{"no newsfeed named", "PUT", "/news/news_items/510", m{"newsfeed_assignments": []m{{}}}, 400, "parameter_not_found", "[0].newsfeed_id"},
		{"no sender", "POST", "/news/news_items", m{"title": "t"}, 400, "parameter_not_found", "sender_id"},
		{"7: no such news item", "PUT", "/news/news_items/1", m{}, 404, "not_found", ""},
		{"no name", "POST", "/dynamic_contents", dynamic(m{"name": nil}), 400, "parameter_not_found", "name"},
		{"4.11: another type", "POST", "/dynamic_contents", dynamic(m{"content_type": "video"}), 400, "parameter_invalid", "content_type"},
		{"no type", "POST", "/dynamic_contents", dynamic(m{"content_type": nil}), 400, "parameter_not_found", "content_type"},
		{"no variations", "POST", "/dynamic_contents", dynamic(m{"variations": nil}), 400, "parameter_not_found", "variations"},
		{"none of the default locale", "POST", "/dynamic_contents", dynamic(m{"default_locale": "de"}), 400, "parameter_invalid", "variations"},
		{"4.11: two of a locale", "POST", "/dynamic_contents", dynamic(m{"variations": []m{one("en"), one("en")}}), 400, "parameter_invalid", "variations[1].locale"},
		{"a variation that says nothing", "POST", "/dynamic_contents", dynamic(m{"variations": []m{{"locale": "en"}}}), 400, "parameter_not_found", "variations[0].body"},
		{"a block's value", "POST", "/dynamic_contents", dynamic(m{"content_type": "block", "variations": []m{{"locale": "en", "value": "v"}}}), 400, "parameter_not_found", "variations[0].body"},
		{"a key that is taken", "POST", "/dynamic_contents", dynamic(m{"key": "key_0"}), 400, "parameter_invalid", "key"},
		{"a key of other letters", "POST", "/dynamic_contents", dynamic(m{"key": `a"b`}), 400, "parameter_invalid", "key"},
		{"a default locale that has none", "PUT", "/dynamic_contents/2200", m{"default_locale": "fr"}, 400, "parameter_invalid", "variations"},
		{"4.11: an article uses it", "DELETE", "/dynamic_contents/2200", nil, 400, "client_error", "an article uses it"},
		{"7: no such dynamic content", "PUT", "/dynamic_contents/1", m{}, 404, "not_found", ""},
		{"no note", "PATCH", "/data_connectors/5100/versions/880000", m{}, 400, "parameter_not_found", "note is missing"},
		{"a note that is null", "PATCH", "/data_connectors/5100/versions/880000", m{"note": nil}, 400, "parameter_not_found", "note is null"},
		{"a note of another kind", "PATCH", "/data_connectors/5100/versions/880000", m{"note": 5}, 400, "parameter_invalid", "note"},
		{"7: no such version", "PATCH", "/data_connectors/5100/versions/1", m{"note": "n"}, 404, "not_found", ""},
		{"7: a version of another", "PATCH", "/data_connectors/5111/versions/880000", m{"note": "n"}, 404, "not_found", ""},
		{"newsfeeds are only read", "DELETE", "/news/newsfeeds/480", nil, 405, "method_not_allowed", ""},
		{"collections are only read", "PUT", "/help_center/collections/3310000", m{"name": "n"}, 405, "method_not_allowed", ""},
	}
}

// Sections 4.11, 7: a refusal names the reason, and nothing has changed.
func TestContract7ContentThatIsRefused(t *testing.T) {
	t.Parallel()
	c, _, done, _ := newJournaledClient(t)
	before := snapshotOracle(c.w)
	for _, row := range append(articleRefusals(), contentRefusals(c.w.CurrentTime().Unix())...) {
		r := c.do(row.method, row.path, row.body)
		if r.status != row.status || r.errorCode() != row.code || !strings.Contains(string(r.raw), row.names) {
			t.Errorf("%s: %s %s %v: %d %s", row.rule, row.method, row.path, row.body, r.status, r.raw)
		}
	}
	for stream, rows := range snapshotOracle(c.w).rows {
		if d := firstDifference(rows, before.rows[stream]); d != "" {
			t.Errorf("%s%s", stream, d)
		}
	}
	if len(*done) != 0 {
		t.Errorf("the journal has %v", *done)
	}
}

// contentRequests returns one request for each endpoint that writes content.
func (c *apiClient) contentRequests() (all []writeRequest) {
	c.t.Helper()
	for _, kind := range []struct {
		name, path string
		body       m
		late       bool
	}{
		{"articles", "/articles", m{"title": "t", "author_id": 5}, false},
		{"internal_articles", "/internal_articles", m{"title": "t", "author_id": 5, "owner_id": 5}, false},
		{"news_items", "/news/news_items", m{"title": "t", "sender_id": 5}, false},
		{"folders", "/folders", m{"name": "n"}, true},
		{"dynamic_contents", "/dynamic_contents", m{"name": "n", "content_type": "block", "variations": []m{{"locale": "en", "body": "b"}}}, true},
	} {
		id := c.doOperation("content.create", m{"kind": kind.name}).json["id"].(string)
		all = append(all, writeRequest{kind.name + ".create", "POST", kind.path, kind.body, kind.late},
			writeRequest{kind.name + ".update", "PUT", kind.path + "/" + id, kind.body, kind.late},
			writeRequest{kind.name + ".delete", "DELETE", kind.path + "/" + id, nil, kind.late})
	}
	return append(all, writeRequest{"data_connectors.note", "PATCH", "/data_connectors/5100/versions/880000", m{"note": "n"}, true})
}

// contentStreams are the oracle's streams of content that requests can write.
var contentStreams = []string{"articles", "internal_articles", "news_items", "folders", "dynamic_contents", "data_connectors", "data_connector_versions"}

func contentNow(w *emulator.Workspace) oracleSnapshot {
	r := oracleSnapshot{at: w.CurrentTime(), rows: map[string][]string{}}
	for _, stream := range contentStreams {
		r.rows[stream] = comparableRows(w.Oracle(stream))
	}
	return r
}

// writeContent writes content of every kind, with simulated hours between, and keeps the oracle's rows of several times.
func (c *apiClient) writeContent() (then []oracleSnapshot) {
	c.t.Helper()
	pass := func() {
		c.doOperation("live", m{"hours": 2})
		then = append(then, contentNow(c.w))
		c.doOperation("advance", m{"by": "1m"})
	}
	folder := c.createRecord("POST", "/folders", m{"name": "f", "parent_folder_id": 660})
	dynamic := c.writeOK("POST", "/dynamic_contents", m{"name": "d", "content_type": "block", "variations": []m{{"locale": "en", "body": "<p>d</p>"}}})
	body := `<div class="service-dynamic-content" data-service-dynamic-content-key="` + dynamic["key"].(string) + `"></div>`
	article := fmt.Sprint(c.writeOK("POST", "/articles", m{"title": "t", "body": body, "author_id": 5, "folder_id": folder, "translated_content": m{"ja": m{"title": "題", "body": body}}})["id"])
	internal := fmt.Sprint(c.writeOK("POST", "/internal_articles", m{"title": "t", "author_id": 5, "owner_id": 5, "folder_id": folder})["id"])
	news := c.createRecord("POST", "/news/news_items", m{"title": "t", "sender_id": 5, "newsfeed_assignments": []m{{"newsfeed_id": 480, "published_at": 1718000000}}})
	note := c.do("GET", "/data_connectors/5133/versions", nil).dataItems()[0]["entity_version_id"].(string)
	c.writeOK("PATCH", "/data_connectors/5133/versions/"+note, m{"note": "n"})
	pass()
	c.doOperation("content.edit", m{"kind": "articles", "id": article})
	c.doOperation("content.edit", m{"kind": "dynamic_contents", "id": dynamic["id"]})
	c.writeOK("PUT", "/folders/"+folder, m{"parent_folder_id": 671})
	c.writeOK("PUT", "/news/news_items/"+news, m{"body": "b", "newsfeed_assignments": []m{}})
	pass()
	c.withOldVersion().writeOK("PUT", "/articles/"+article, m{"body": "#{{dynamic_content:key_0}}"})
	c.writeOK("PUT", "/articles/9400022", m{"title": "of the population"})
	c.writeOK("PUT", "/internal_articles/"+internal, m{"body": "b", "folder_id": nil})
	c.writeOK("PATCH", "/data_connectors/5133/versions/"+note, m{"note": ""})
	pass()
	c.writeOK("PUT", "/articles/"+article, m{"folder_id": nil, "translated_content": m{"ja": m{"body": ""}}})
	c.writeOK("DELETE", "/folders/"+folder, nil)
	c.writeOK("DELETE", "/dynamic_contents/"+dynamic["id"].(string), nil)
	c.writeOK("DELETE", "/internal_articles/"+internal, nil)
	pass()
	return then
}

// Written content is served as the oracle says. The oracle's rows of earlier times do not change, and a replay of the journal gives the same.
func TestWrittenContentIsTheSameAfterARestartAndAtEveryTime(t *testing.T) {
	t.Parallel()
	c, _, _, again := newJournaledClient(t)
	snapshots := append(c.writeContent(), contentNow(c.w))
	c.compareContent(t)
	w := again()
	for _, then := range snapshots {
		for stream, rows := range then.rows {
			for _, of := range []*emulator.Workspace{c.w, w} {
				at, err := of.TruthAt(stream, then.at)
				failOn(t, err)
				if d := firstDifference(collectRows(at), rows); d != "" {
					t.Errorf("%s at %s%s", stream, then.at, d)
				}
			}
		}
	}
	other := serveWorkspace(t, w)
	for _, path := range []string{"/articles?per_page=250", "/internal_articles", "/news/news_items", "/folders", "/dynamic_contents", "/data_connectors/5133/versions"} {
		if string(other.do("GET", path, nil).raw) != string(c.do("GET", path, nil).raw) {
			t.Errorf("GET %s is answered otherwise after a restart", path)
		}
	}
}
