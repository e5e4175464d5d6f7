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

// checkFields compares some fields of an answer or a row with the expected ones.
func checkFields(t testing.TB, of string, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		have, err := json.Marshal(got[name])
		want, err2 := json.Marshal(value)
		if string(have) != string(want) || err != nil || err2 != nil {
			t.Errorf("%s: %s is %s, want %s", of, name, have, want)
		}
	}
}

// writeOK sends a request that must succeed, and returns the answer.
func (c *apiClient) writeOK(method, path string, body any) map[string]any {
	c.t.Helper()
	r := c.do(method, path, body)
	if r.status != 200 {
		c.t.Fatalf("%s %s: %d %s", method, path, r.status, r.raw)
	}
	return r.json
}

// compareContent compares all served content that can be written with the oracle.
func (c *apiClient) compareContent(t *testing.T) {
	t.Helper()
	version := c.version
	c.version = "2.17"
	for stream, path := range map[string]string{"internal_articles": "/internal_articles", "news_items": "/news/news_items", "folders": "/folders"} {
		list, _ := c.walkList(path)
		c.sameContent(t, stream, list)
	}
	listed, _ := c.walkList("/articles?per_page=250")
	var whole, dynamic []map[string]any
	for _, a := range listed {
		whole = append(whole, c.writeOK("GET", fmt.Sprintf("/articles/%v", a["id"]), nil))
	}
	c.sameContent(t, "articles", whole)
	for page := 1; page < 3; page++ {
		dynamic = append(dynamic, c.do("GET", fmt.Sprintf("/dynamic_contents?page=%d", page), nil).dataItems()...)
	}
	c.sameContent(t, "dynamic_contents", dynamic)
	c.version = version
}

// Sections 2.5, 4.6, 4.11, 9.
func TestContract2_5ArticlesAreWritten(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	now := c.w.CurrentTime().Unix()
	sent := m{"title": "Zurück <&>", "description": "d", "body": "<p>b</p>", "author_id": json.Number("9007199254740993"), "state": "published", "parent_id": 3310011,
		"parent_type": "collection", "folder_id": "671", "translated_content": m{"type": "article_translated_content",
			"fr": m{"type": "article_content", "title": "Retour", "body": "<p>f</p>", "state": "published"}, "pt-BR": m{"title": "Volta"}}}
	a := c.writeOK("POST", "/articles", sent)
	id := fmt.Sprint(a["id"])
	checkFields(t, "2.5", a, m{"type": "article", "title": "Zurück <&>", "description": "d", "body": "<p>b</p>", "author_id": sent["author_id"], "state": "published", "parent_id": 3310011,
		"parent_type": "collection", "folder_id": "671", "default_locale": "en", "created_at": now, "updated_at": now, "url": "https://help.example/articles/" + id})
	translations := a["translated_content"].(m)
	checkFields(t, "2.5 en", translations["en"].(m), m{"type": "article_content", "title": "Zurück <&>", "description": "d", "body": "<p>b</p>", "state": "published"})
	checkFields(t, "2.5 fr", translations["fr"].(m), m{"title": "Retour", "description": nil, "body": "<p>f</p>", "state": "published", "author_id": sent["author_id"]})
	checkFields(t, "2.5 pt-BR", translations["pt-BR"].(m), m{"title": "Volta", "body": nil, "state": "draft", "url": nil})
	if one := c.do("GET", "/articles/"+id, nil); jsonText(one.json) != jsonText(a) {
		t.Errorf("4.6: the answer is not what GET gives: %s", one.raw)
	}
	c.compareContent(t)
	then := c.w.CurrentTime()
	c.w.Advance(time.Minute)
	a = c.writeOK("PUT", "/articles/"+id, m{"title": "New", "folder_id": nil, "parent_id": nil, "translated_content": m{"fr": m{"title": "Nouveau"}}})
	checkFields(t, "updated", a, m{"title": "New", "body": "<p>b</p>", "folder_id": nil, "parent_id": nil, "parent_type": nil, "created_at": now, "updated_at": now + 60})
	checkFields(t, "updated fr", a["translated_content"].(m)["fr"].(m), m{"title": "Nouveau", "body": "<p>f</p>", "updated_at": now + 60})
	if first := c.do("GET", "/articles", nil).dataItems()[0]; fmt.Sprint(first["id"]) != id {
		t.Errorf("what was changed last is not the first: %v", first["id"])
	}
	if same := c.writeOK("PUT", "/articles/"+id, nil); jsonText(same) != jsonText(a) {
		t.Errorf("an update of nothing: %v", same)
	}
	drawn := c.writeOK("GET", "/articles/9400011", nil)
	c.w.Advance(time.Minute)
	a = c.writeOK("PUT", "/articles/9400011", m{"state": "draft"})
	checkFields(t, "what was not sent", a, m{"title": drawn["title"], "body": drawn["body"], "author_id": drawn["author_id"], "url": nil, "updated_at": now + 120})
	c.compareContent(t)
	checkFields(t, "9: in 2.16", c.withOldVersion().writeOK("PUT", "/articles/"+id, m{"folder_id": "660", "state": "draft"}), m{"state": "draft"})
	checkFields(t, "9: there is no folder_id in 2.16", c.writeOK("GET", "/articles/"+id, nil), m{"folder_id": nil})
	c.w.Advance(time.Minute)
	checkFields(t, "deleted", c.writeOK("DELETE", "/articles/"+id, nil), m{"id": id, "object": "article", "deleted": true})
	if r := c.do("GET", "/articles/"+id, nil); r.status != 404 || c.oracleRow("articles", id) != nil {
		t.Errorf("7: deleted and there: %s", r.raw)
	}
	c.compareContent(t)
	rows, err := c.w.TruthAt("articles", then)
	failOn(t, err)
	for row := range rows {
		if row["id"] == id {
			checkFields(t, "as it was", row, m{"title": "Zurück <&>", "folder_id": "671"})
			return
		}
	}
	t.Error("the truth of then does not have it")
}

// A simulated edit draws the texts anew; the folder, the author and the translations stay as they were written.
func TestSimulatedEditsKeepOtherWrittenFields(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	now := c.w.CurrentTime().Unix()
	id := fmt.Sprint(c.writeOK("POST", "/articles", m{"title": "New", "body": "<p>b</p>", "author_id": 5, "state": "published", "folder_id": "671",
		"translated_content": m{"fr": m{"title": "Nouveau", "body": "<p>f</p>"}}})["id"])
	before := c.writeOK("GET", "/articles/"+id, nil)
	c.w.Advance(time.Minute)
	c.failOn(c.w.EditContent("articles", id))
	a := c.writeOK("GET", "/articles/"+id, nil)
	checkFields(t, "where a teammate's edit leaves it", a, m{"folder_id": "671", "author_id": before["author_id"], "state": "published", "updated_at": now + 60})
	checkFields(t, "in another language", a["translated_content"].(m)["fr"].(m), m{"title": "Nouveau", "body": "<p>f</p>"})
	if a["title"] == "New" || a["body"] == "<p>b</p>" {
		t.Errorf("a teammate's edit says the same: %v", a)
	}
	c.compareContent(t)
}

// withOldVersion returns the same client in a version before the later one.
func (c *apiClient) withOldVersion() *apiClient {
	before := *c
	before.version = "2.16"
	return &before
}

// Section 2.5: references to dynamic content in the bodies of requests.
func TestContract2_5BodiesKeepReferencesByVersion(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	for _, d := range []m{
		{"key": "price", "content_type": "inline", "variations": []m{{"locale": "en", "value": "5 < 6"}, {"locale": "de", "value": "5,00"}, {"locale": "fr", "intentionally_empty": true, "body": "x"}}},
		{"key": "hours", "content_type": "block", "variations": []m{{"locale": "en", "body": "<p>9 to 5</p>"}}},
	} {
		d["name"] = d["key"]
		c.writeOK("POST", "/dynamic_contents", d)
	}
	id := fmt.Sprint(c.writeOK("POST", "/articles", m{"title": "t", "author_id": 5})["id"])
	const price, hours = `<span class="service-dynamic-content" data-service-dynamic-content-key="price">`, `<div class="service-dynamic-content" data-service-dynamic-content-key="hours">`
	const both = "<p>" + price + "5 &lt; 6</span></p>" + hours + "<p>9 to 5</p></div>"
	for _, row := range []struct{ rule, version, sent, later, earlier string }{
		{"as it was answered", "2.17", both, both, "<p>#{{dynamic_content:price}}</p>"},
		{"what is inside is ignored", "2.17", "a " + price + "9 <span>x</span></span> b" + hours + "<div>y</div></div>c", "a " + price + "5 &lt; 6</span> b" + hours + "<p>9 to 5</p></div>c", "a #{{dynamic_content:price}} bc"},
		{"attributes in another form", "2.17", `<SPAN data-service-dynamic-content-key='price' id=x class="a service-dynamic-content"/>!`, price + "5 &lt; 6</span>!", "#{{dynamic_content:price}}!"},
		{"the element is removed", "2.17", hours + "</div>", hours + "<p>9 to 5</p></div>", ""},
		{"other elements are no references", "2.17", `<span class="x" data-service-dynamic-content-key="price">1</span><div>2</div>`, `<span class="x" data-service-dynamic-content-key="price">1</span><div>2</div>`, `<span class="x" data-service-dynamic-content-key="price">1</span><div>2</div>`},
		{"the literal text is none in the later version", "2.17", "#{{dynamic_content:price}}", "#{{dynamic_content:price}}", "#{{dynamic_content:price}}"},
		{"both again", "2.17", both, both, "<p>#{{dynamic_content:price}}</p>"},
		{"the literal text is kept, the block is lost", "2.16", "<p>#{{dynamic_content:price}}</p>", "<p>" + price + "5 &lt; 6</span></p>", "<p>#{{dynamic_content:price}}</p>"},
		{"only of what is inline", "2.16", "#{{dynamic_content:hours}} #{{dynamic_content:none}}", "#{{dynamic_content:hours}} #{{dynamic_content:none}}", "#{{dynamic_content:hours}} #{{dynamic_content:none}}"},
		{"elements are none before", "2.16", hours + "<p>" + price + "1</span></p></div>", "<p>1</p>", "<p>1</p>"},
		{"elements in one another, and one that nothing closes, are none either", "2.16", "<div>" + hours + price + "1" + hours + "2</span></div></DIV>3</div>" + price + "4", "<div>123</div>4", "<div>123</div>4"},
		{"what is in a reference is no reference, and what nothing closes goes to the end", "2.17", "<div>" + price + price + "1</span>" + hours + "</span></div>" + price + "<p>2</p>",
			"<div>" + price + "5 &lt; 6</span></div>" + price + "5 &lt; 6</span>", "<div>#{{dynamic_content:price}}</div>#{{dynamic_content:price}}"},
		{"elements that close themselves hold nothing", "2.17", price + "<span/></span>" + strings.Replace(price, ">", " title='a>b'/>", 1) + "!", price + "5 &lt; 6</span>" + price + "5 &lt; 6</span>!", "#{{dynamic_content:price}}#{{dynamic_content:price}}!"},
		{"no more of it", "2.16", "<p>1</p>", "<p>1</p>", "<p>1</p>"},
		{"no body leaves it", "2.16", "", "<p>1</p>", "<p>1</p>"},
	} {
		body := m{"body": row.sent, "translated_content": m{"de": m{"title": "T", "body": row.sent}}}
		if row.sent == "" {
			body = m{"title": "other"}
		}
		c.version = row.version
		c.writeOK("PUT", "/articles/"+id, body)
		c.version = "2.17"
		a := c.writeOK("GET", "/articles/"+id, nil)
		inGerman := strings.ReplaceAll(row.later, "5 &lt; 6", "5,00")
		if got, german := orEmpty(a["body"]), a["translated_content"].(m)["de"].(m)["body"]; got != row.later || orEmpty(german) != inGerman {
			t.Errorf("%s: %v, in German %v", row.rule, got, german)
		}
		if got := orEmpty(c.withOldVersion().writeOK("GET", "/articles/"+id, nil)["body"]); got != row.earlier {
			t.Errorf("%s: up to 2.16 %s", row.rule, got)
		}
	}
	a := c.writeOK("PUT", "/articles/"+id, m{"body": both, "translated_content": m{"fr": m{"title": "T", "body": both}}})
	if french := a["translated_content"].(m)["fr"].(m)["body"]; french != "<p>"+price+"</span></p>"+hours+"<p>9 to 5</p></div>" {
		t.Errorf("4.11: what is empty on purpose shows the default: %v", french)
	}
	c.compareContent(t)
	c.w.SetKnobs(func(k *emulator.Knobs) { k.NoDynamicContent = true })
	if body := c.writeOK("GET", "/articles/"+id, nil)["body"]; body != "<p>5 &lt; 6</p><p>9 to 5</p>" {
		t.Errorf("2.5: where it is disabled: %v", body)
	}
	if body := c.writeOK("PUT", "/articles/"+id, m{"body": hours + "x</div>"})["body"]; body != "x" {
		t.Errorf("2.5: written where it is disabled: %v", body)
	}
}

// Section 2.5: where dynamic content is disabled, a reference in a body is plain text. A replay of the journal in a workspace where it is
// enabled keeps the text.
func TestTextWrittenWhereDynamicContentIsDisabledStaysText(t *testing.T) {
	t.Parallel()
	c, _, _, again := newJournaledClient(t)
	c.w.SetKnobs(func(k *emulator.Knobs) { k.NoDynamicContent = true })
	const sent = `#{{dynamic_content:key_0}} <span class="service-dynamic-content" data-service-dynamic-content-key="nothing">x</span>`
	paths := []string{}
	for _, version := range []string{"2.16", "2.17"} {
		c.version = version
		a := c.writeOK("POST", "/articles", m{"title": version, "author_id": 5, "body": sent})
		if paths = append(paths, "/articles/"+fmt.Sprint(a["id"])); a["body"] != "#{{dynamic_content:key_0}} x" {
			t.Errorf("%s: %v", version, a["body"])
		}
	}
	other := serveWorkspace(t, again())
	for _, path := range paths {
		if body := other.writeOK("GET", path, nil)["body"]; body != "#{{dynamic_content:key_0}} x" {
			t.Errorf("%s when the journal is done again: %v", path, body)
		}
	}
}

func orEmpty(v any) string {
	text, _ := v.(string)
	return text
}

// Section 2: some drawn records lack what api-notes says may be absent. Written records do not.
func TestWrittenRecordsHaveEveryRequiredField(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 4, Tickets: 6})
	article := fmt.Sprint(c.writeOK("POST", "/articles", m{"title": "t", "author_id": 5})["id"])
	for name, n := range c.do("GET", "/articles/"+article, nil).json["statistics"].(map[string]any) {
		if name != "type" && toInt(n) != 0 {
			t.Errorf("2.5: an article that nobody read has %s %v", name, n)
		}
	}
	for range 7 { // every seventh drawn one has no times
		a := c.writeOK("POST", "/internal_articles", m{"title": "t", "owner_id": 5, "author_id": 5})
		if toInt(a["created_at"]) == 0 || a["updated_at"] != a["created_at"] {
			t.Errorf("an internal article of %v, %v", a["created_at"], a["updated_at"])
		}
	}
	for range 3 { // the eighth drawn one, and then each 89th, has null for its lists
		id := c.createRecord("POST", "/tickets", m{"ticket_type_id": "1200", "contacts": []m{{"id": c.w.ContactIDs("active")[0]}}, "ticket_attributes": m{"Größe": "S"}})
		if got := c.doOK("GET", "/tickets/"+id, nil); got["linked_objects"] == nil || got["contacts"] == nil || got["ticket_parts"] == nil {
			t.Errorf("ticket %s is linked to %v, of %v", id, got["linked_objects"], got["contacts"])
		}
	}
	c.compareContent(t)
}

// Sections 4.11, 9: internal articles, and search for them by folder.
func TestContract4_11InternalArticlesAreWrittenAndFound(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	inner := c.createRecord("POST", "/folders", m{"name": "inner"}) // before its later parent
	outer := c.createRecord("POST", "/folders", m{"name": "outer"})
	c.writeOK("PUT", "/folders/"+outer, m{"parent_folder_id": "660"})
	c.writeOK("PUT", "/folders/"+inner, m{"parent_folder_id": outer})
	a := c.writeOK("POST", "/internal_articles", m{"title": "Wie?", "body": "<p>quokka</p>", "owner_id": 814860, "author_id": 5, "locale": "de", "folder_id": inner})
	id := fmt.Sprint(a["id"])
	checkFields(t, "4.11", a, m{"type": "internal_article", "title": "Wie?", "body": "<p>quokka</p>", "owner_id": 814860, "author_id": 5, "locale": "de", "folder_id": inner})
	found := func(query string) bool {
		return slices.ContainsFunc(c.do("GET", "/internal_articles/search?"+query, nil).dataItems(), func(a map[string]any) bool { return fmt.Sprint(a["id"]) == id })
	}
	if !found("phrase=QUOKKA") || found("phrase=wombat") || !found("folder_id="+inner) || !found("phrase=quokka&folder_id="+outer) || !found("folder_id=660") {
		t.Error("4.11: the search does not find what was written where it is")
	}
	c.version = "2.14"
	if found("folder_id=" + outer) {
		t.Error("9: the search is recursive in 2.14")
	}
	checkFields(t, "updated in 2.14", c.writeOK("PUT", "/internal_articles/"+id, m{"body": "<p>wombat #{{dynamic_content:key_0}}</p>", "owner_id": nil, "folder_id": nil}),
		m{"title": "Wie?", "owner_id": nil, "body": "<p>wombat #{{dynamic_content:key_0}}</p>"})
	if !found("phrase=wombat") || !found("folder_id="+inner) {
		t.Error("9: the folder is written in 2.14, or the body is not")
	}
	c.compareContent(t)
	c.version = "2.13"
	if r := c.do("POST", "/internal_articles", m{"title": "x"}); r.status != 404 {
		t.Errorf("9: internal articles are written in 2.13: %d", r.status)
	}
	c.version = "2.17"
	checkFields(t, "deleted", c.writeOK("DELETE", "/internal_articles/"+id, nil), m{"id": id, "object": "internal_article", "deleted": true})
	if c.do("GET", "/internal_articles/"+id, nil).status != 404 || found("phrase=wombat") {
		t.Error("7: deleted and there")
	}
	c.compareContent(t)
}
