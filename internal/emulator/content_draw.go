package emulator

import (
	"html"
	"strconv"
	"strings"
)

// contentMaker draws what content says.
type contentMaker struct {
	seed      uint64
	start     int64
	workspace string
}

// reading is what an answer depends on beside the content.
type reading struct {
	version version
	whole   bool // it is read by itself
	now     int64
}

// contentBase is added to numbers to give ids: those of articles and internal articles are integers, others are text.
var contentBase = [contentKinds]int64{9400000, 7300000, 3310000, 480, 510, 660, 2200, 5100}

func contentID(kind contentKind, n int32) int64 { return contentBase[kind] + 11*int64(n) }

func contentText(kind contentKind, n int32) string {
	return strconv.FormatInt(contentID(kind, n), 10)
}

func (m contentMaker) record(i item, as reading) record {
	id, r := contentText(i.Kind, i.N), newRNG(m.seed, forContent, 2<<32, uint64(i.Kind), uint64(i.N), uint64(i.Edits))
	title := r.text(articleTitles) + " " + strconv.Itoa(int(i.N)) + "." + strconv.Itoa(i.Edits)
	created, updated := column{"created_at", moment(i.Created)}, column{"updated_at", moment(i.Updated)}
	switch i.Kind {
	case articles:
		return m.article(i, r, title, as)
	case internalArticles:
		return m.internal(i, r, title, as)
	case collections:
		about := r.text([]string{"", "a & b"})
		text := `{"type":"group_translated_content","en":{"type":"group_content","name":` + quoted(title) + `,"description":` +
			string(appendText(nil, about)) + `}}`
		return record{{"type", "collection"}, {"id", id}, {"workspace_id", m.workspace}, {"name", title}, {"description", about},
			{"parent_id", parentOf(collections, i.N)}, {"order", int64(i.N)}, {"url", "https://help.example/collections/" + id}, {"default_locale", "en"},
			{"translated_content", rawJSONText(text)}, created, updated}
	case newsfeeds:
		return record{{"type", "newsfeed"}, {"id", id}, {"name", title}, created, updated}
	case newsItems:
		return m.news(i, r, title, as)
	case folders:
		return record{{"type", "folder"}, {"id", id}, {"name", title}, {"parent_folder_id", parentOf(folders, i.N)}, created, updated}
	case dynamicContents:
		return m.dynamic(i, r, title)
	}
	return record{{"type", "data_connector"}, {"id", id}, {"name", title}, {"state", r.text([]string{"live", "draft"})}, {"http_method", r.text([]string{"get", "post", "put", "patch", "delete"})},
		{"created_at", isoTime(i.Created)}, {"updated_at", isoTime(i.Updated)}}
}

// news tells when it was published since 2.14 (workspace-api 9).
func (m contentMaker) news(i item, r *rng, title string, as reading) record {
	in := record{{"newsfeed_id", rawJSONText(contentText(newsfeeds, feedOf(i)))}}
	list := record{{"type", "news-item"}, {"id", contentText(newsItems, i.N)}, {"workspace_id", m.workspace}, {"title", title},
		{"body", "<p>" + hitlWords(r) + "</p>"}, {"sender_id", admins[r.n(len(admins))].id}, {"state", "live"}, {"created_at", moment(i.Created)},
		{"updated_at", moment(i.Updated)}}
	if as.version.atLeast(v214) {
		published := column{"published_at", moment(i.Created)}
		in, list = append(in, published), append(list, published)
	}
	p := &pen{}
	p.record(in)
	return append(list, column{"newsfeed_assignments", rawJSONText("[" + string(p.b) + "]")})
}

// feedOf is the newsfeed that a news item is in.
func feedOf(i item) int32 { return i.N % 5 }

func quoted(s string) string { return string(appendString(nil, s)) }

// parentOf: the first ones lie in nothing, the others in one of them; folders in one some places before them, so that some lie deep.
func parentOf(kind contentKind, n int32) any {
	switch {
	case n < 4:
		return nil
	case kind == folders:
		return contentText(kind, n-4+n%2)
	}
	return contentText(kind, n%4)
}

// dynamicKey names the dynamic content that an article may refer to.
func dynamicKey(n int32) string { return "key_" + strconv.Itoa(int(n)) }

// article has the fields of workspace-api 2.5; statistics only when it is read by itself, and they move without updated_at
// (trap T92).
func (m contentMaker) article(i item, r *rng, title string, as reading) record {
	id := contentText(articles, i.N)
	state, url := "published", "https://help.example/articles/"+id
	if r.chance(0.2) {
		state, url = "draft", ""
	}
	author, words, about := admins[r.n(len(admins))].id, hitlWords(r), r.text([]string{"", "What to do & when"})
	body := "<p>" + words + "</p>" + dynamicReference(i.N, as.version.later())
	localised := func(locale string) string {
		p := &pen{}
		p.record(record{{"type", "article_content"}, {"title", locale + ": " + title}, {"description", about}, {"body", body}, {"author_id", author},
			{"state", state}, {"created_at", moment(i.Created)}, {"updated_at", moment(i.Updated)}, {"url", url}})
		return quoted(locale) + ":" + string(p.b)
	}
	locales := []string{`"type":"article_translated_content"`, localised("en")}
	for _, locale := range []string{"de", "pt-BR", "ja"}[:min(3, i.Edits)] { // a new locale may come with an edit (trap T91)
		locales = append(locales, localised(locale))
	}
	list := record{{"type", "article"}, {"id", contentID(articles, i.N)}, {"workspace_id", m.workspace}, {"title", title}, {"description", about},
		{"body", body}, {"author_id", author}, {"state", state}, {"created_at", moment(i.Created)}, {"updated_at", moment(i.Updated)}, {"url", url},
		{"parent_id", nil}, {"parent_type", ""}, {"default_locale", "en"}, {"translated_content", rawJSONText("{" + strings.Join(locales, ",") + "}")}}
	if i.N%6 != 5 {
		list[11].value, list[12].value = contentID(collections, i.N%int32(contentAtBirth[collections])), "collection"
	}
	list = m.filed(list, i, as)
	if as.whole {
		list = append(list, column{"statistics", rawJSONText(articleStatistics(i, as.now))})
	}
	return list
}

// filed adds where an article lies: the folder is of the later version (workspace-api 9).
func (m contentMaker) filed(list record, i item, as reading) record {
	if !as.version.later() {
		return list
	}
	return append(list, column{"folder_id", folderOf(i)})
}

// folderOf is the folder that an article lies in, or nil.
func folderOf(i item) any {
	if i.N%3 == 0 {
		return nil
	}
	return contentText(folders, i.N%int32(contentAtBirth[folders]))
}

// dynamicReference is how a body refers to dynamic content: elements in the later version, before it the literal text for an
// inline one and nothing for a block (workspace-api 2.5, trap T93).
func dynamicReference(n int32, later bool) string {
	key := dynamicKey(n % 5)
	switch {
	case n%10 == 3 && later:
		return `<p><span class="service-dynamic-content" data-service-dynamic-content-key="` + key + `">5 €</span></p>`
	case n%10 == 3:
		return "<p>#{{dynamic_content:" + key + "}}</p>"
	case n%10 == 7 && later:
		return `<div class="service-dynamic-content" data-service-dynamic-content-key="` + key + `"><p>hours</p></div>`
	}
	return ""
}

// articleStatistics are counted on the hour.
func articleStatistics(i item, now int64) string {
	views := max(0, now/3600-i.Created/3600) * int64(1+i.N%5)
	happy := int64(i.N%3) * 20
	p := &pen{}
	p.record(record{{"type", "article_statistics"}, {"views", views}, {"conversations", views / 50}, {"reactions", views / 20},
		{"happy_reaction_percentage", happy}, {"neutral_reaction_percentage", 60 - happy}, {"sad_reaction_percentage", int64(40)}})
	return string(p.b)
}

// internal: some tell no times (api-notes).
func (m contentMaker) internal(i item, r *rng, title string, as reading) record {
	var owner any = admins[r.n(len(admins))].id
	if i.N%9 == 4 {
		owner = nil
	}
	list := record{{"type", "internal_article"}, {"id", contentID(internalArticles, i.N)}, {"title", title}, {"body", "<p>" + hitlWords(r) + "</p>"},
		{"owner_id", owner}, {"author_id", admins[r.n(len(admins))].id}, {"locale", r.text([]string{"en", "de"})}}
	if i.N%7 != 0 {
		list = append(list, column{"created_at", moment(i.Created)}, column{"updated_at", moment(i.Updated)})
	}
	return m.filed(list, i, as)
}

// dynamic: every variation tells whether it is empty on purpose; names are HTML-escaped as sent (api-notes).
func (m contentMaker) dynamic(i item, r *rng, title string) record {
	kind := []string{"inline", "block"}[i.N%2]
	empty := i.N%4 == 2
	other := quoted(hitlWords(r))
	if empty {
		other = "null"
	}
	variations := `[{"locale":"en","brand_id":null,"body":` + quoted(hitlWords(r)) + `,"intentionally_empty":false},{"locale":"de","brand_id":"7","body":` +
		other + `,"intentionally_empty":` + strconv.FormatBool(empty) + `}]`
	return record{{"type", "dynamic_content"}, {"id", contentText(dynamicContents, i.N)}, {"key", dynamicKey(i.N)}, {"name", html.EscapeString("<" + title + ">")},
		{"content_type", kind}, {"default_locale", "en"}, {"variations", rawJSONText(variations)}, {"created_at", moment(i.Created)}, {"updated_at", moment(i.Updated)}}
}

// version is the nth version of a data connector: one at its birth and one for each edit.
func (m contentMaker) version(i item, n int) record {
	r := newRNG(m.seed, forContent, 3<<32, uint64(i.N), uint64(n))
	at := i.Created + int64(n)*60
	if born := i.Edits - len(i.Edited); n > born {
		at = i.Edited[n-born-1]
	}
	return record{{"type", "data_connector_version"}, {"entity_version_id", versionID(i.N, n)}, {"data_connector_id", contentText(connectors, i.N)},
		{"version_number", int64(n + 1)}, {"note", r.text([]string{"", "retry & wait", "Größe"})}, {"created_at", isoTime(at)}, {"updated_at", isoTime(at)}}
}

func versionID(connector int32, n int) string {
	return strconv.FormatInt(880000+1000*int64(connector)+int64(n), 10)
}
