package oracle

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// localArticle is the text of an article in one language, with the body in its stored form.
type localArticle struct {
	locale, title, description, body, state string
	author                                  int64
}

// translated is the prefix of the fields of an article's translations.
const translated = "translated_content."

// withEdits returns the text with its written fields in place of the drawn ones.
func (a localArticle) withEdits(p *contentItem, prefix string) localArticle {
	a.title, a.description = p.fieldText(prefix+"title", a.title), p.fieldText(prefix+"description", a.description)
	a.body, a.state = p.fieldText(prefix+"body", a.body), p.fieldText(prefix+"state", a.state)
	a.author, _ = p.fieldValue(prefix+"author_id", a.author).(int64)
	return a
}

// articleLocales returns the text of an article in each of its languages, English first. An edit may add a language.
func (p *contentItem) articleLocales(d event.Wording) []localArticle {
	drawn := localArticle{title: d.Title, description: d.Description, body: d.Body, state: "published", author: d.Author}
	if d.Draft {
		drawn.state = "draft"
	}
	english := drawn.withEdits(p, "")
	drawn.locale, drawn.title = "en", "en: "+d.Title
	all := []localArticle{drawn.withEdits(p, translated+"en.").withEdits(p, "")}
	for n, locale := range []string{"de", "pt-BR", "ja"} {
		if n < p.Edits {
			drawn.locale, drawn.title = locale, locale+": "+d.Title
			all = append(all, drawn.withEdits(p, translated+locale+"."))
		}
	}
	var others []string
	for field := range p.wrote {
		rest, is := strings.CutPrefix(field, translated)
		if !is {
			continue
		}
		locale := rest[:strings.LastIndex(rest, ".")]
		if there := slices.ContainsFunc(all, func(a localArticle) bool { return a.locale == locale }); !there && !slices.Contains(others, locale) {
			others = append(others, locale)
		}
	}
	slices.Sort(others)
	for _, locale := range others {
		all = append(all, localArticle{locale: locale, state: "draft", author: english.author}.withEdits(p, translated+locale+"."))
	}
	return append([]localArticle{english}, all...)
}

// articleRow returns the row of an article as a single read sends it, with its statistics.
func (o *Oracle) articleRow(p *contentItem, d event.Wording, dynamic map[string]dynamicContent) Row {
	all := p.articleLocales(d)
	own := all[0]
	address := func(state string) string {
		if state == "published" {
			return "https://help.example/articles/" + event.ContentText(event.Articles, p.N)
		}
		return "" // readers cannot open a draft
	}
	fields := []string{"type", jsonText("article_translated_content")}
	for _, a := range all[1:] {
		fields = append(fields, a.locale, jsonObject("type", jsonText("article_content"), "title", textOrNull(a.title), "description", textOrNull(a.description),
			"body", textOrNull(o.resolveReferences(a.body, a.locale, dynamic)), "author_id", jsonNumber(a.author), "state", textOrNull(a.state),
			"created_at", numberOrNull(p.Created), "updated_at", numberOrNull(p.Updated), "url", textOrNull(address(a.state))))
	}
	row := Row{"workspace_id": o.terms.Workspace, "title": orNull(own.title), "description": orNull(own.description), "body": orNull(o.resolveReferences(own.body, "en", dynamic)),
		"author_id": own.author, "state": orNull(own.state), "url": orNull(address(own.state)), "default_locale": "en", "translated_content": jsonObject(fields...),
		"parent_id": nil, "parent_type": nil, "folder_id": p.fieldValue("folder_id", p.Folder), "statistics": o.articleStatistics(p)}
	parent, wrote := p.wrote["parent_id"]
	if number, isNumber := parent.(int64); isNumber {
		row["parent_id"] = number
	} else if !wrote && p.Parent != "" {
		row["parent_id"] = parseID(p.Parent)
	}
	if row["parent_id"] != nil {
		row["parent_type"] = "collection"
	}
	return row
}

// articleStatistics returns the statistics of an article, counted on the hour: some views lead to a reaction or a conversation.
func (o *Oracle) articleStatistics(p *contentItem) string {
	hours := o.at/3600 - p.Created/3600
	views := int64(0)
	if hours > 0 {
		views = hours * p.Views / p.ViewsIn
	}
	happy, neutral, sad := p.Happy, 100-p.Sad-p.Happy, p.Sad
	if views < p.ViewsPerReaction { // no reactions yet
		happy, neutral, sad = 0, 0, 0
	}
	return jsonObject("type", jsonText("article_statistics"), "views", jsonNumber(views), "conversations", jsonNumber(views/p.ViewsPerTalk), "reactions", jsonNumber(views/p.ViewsPerReaction),
		"happy_reaction_percentage", jsonNumber(happy), "neutral_reaction_percentage", jsonNumber(neutral), "sad_reaction_percentage", jsonNumber(sad))
}
