package oracle

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// article is what an article says in one language. The body is as it is kept.
type article struct {
	locale, title, description, body, state string
	author                                  int64
}

// translated begins the fields of what an article says in another language than English.
const translated = "translated_content."

// written puts what was written of an article in one language in the place of what is drawn.
func (a article) written(p *piece, prefix string) article {
	a.title, a.description = p.words(prefix+"title", a.title), p.words(prefix+"description", a.description)
	a.body, a.state = p.words(prefix+"body", a.body), p.words(prefix+"state", a.state)
	a.author, _ = p.told(prefix+"author_id", a.author).(int64)
	return a
}

// says is what an article says in each of its languages, English first. A new language may come with an edit.
func (p *piece) says(d event.Wording) []article {
	drawn := article{title: d.Title, description: d.Description, body: d.Body, state: "published", author: d.Author}
	if d.Draft {
		drawn.state = "draft"
	}
	english := drawn.written(p, "")
	drawn.locale, drawn.title = "en", "en: "+d.Title
	all := []article{drawn.written(p, translated+"en.").written(p, "")}
	for n, locale := range []string{"de", "pt-BR", "ja"} {
		if n < p.Edits {
			drawn.locale, drawn.title = locale, locale+": "+d.Title
			all = append(all, drawn.written(p, translated+locale+"."))
		}
	}
	var others []string
	for field := range p.wrote {
		rest, is := strings.CutPrefix(field, translated)
		if !is {
			continue
		}
		locale := rest[:strings.LastIndex(rest, ".")]
		if there := slices.ContainsFunc(all, func(a article) bool { return a.locale == locale }); !there && !slices.Contains(others, locale) {
			others = append(others, locale)
		}
	}
	slices.Sort(others)
	for _, locale := range others {
		all = append(all, article{locale: locale, state: "draft", author: english.author}.written(p, translated+locale+"."))
	}
	return append([]article{english}, all...)
}

// articleRow is an article as it is read by itself, with its statistics.
func (o *Oracle) articleRow(p *piece, d event.Wording, dynamic map[string]dynamicContent) Row {
	all := p.says(d)
	own := all[0]
	address := func(state string) string {
		if state == "published" {
			return "https://help.example/articles/" + event.ContentText(event.Articles, p.N)
		}
		return "" // readers do not find a draft
	}
	fields := []string{"type", text("article_translated_content")}
	for _, a := range all[1:] {
		fields = append(fields, a.locale, object("type", text("article_content"), "title", textOrNull(a.title), "description", textOrNull(a.description),
			"body", textOrNull(o.resolve(a.body, a.locale, dynamic)), "author_id", number(a.author), "state", textOrNull(a.state),
			"created_at", numberOrNull(p.Created), "updated_at", numberOrNull(p.Updated), "url", textOrNull(address(a.state))))
	}
	row := Row{"workspace_id": o.terms.Workspace, "title": orNull(own.title), "description": orNull(own.description), "body": orNull(o.resolve(own.body, "en", dynamic)),
		"author_id": own.author, "state": orNull(own.state), "url": orNull(address(own.state)), "default_locale": "en", "translated_content": object(fields...),
		"parent_id": nil, "parent_type": nil, "folder_id": p.told("folder_id", p.Folder), "statistics": o.popularity(p)}
	parent, wrote := p.wrote["parent_id"]
	if number, isNumber := parent.(int64); isNumber {
		row["parent_id"] = number
	} else if !wrote && p.Parent != "" {
		row["parent_id"] = number64(p.Parent)
	}
	if row["parent_id"] != nil {
		row["parent_type"] = "collection"
	}
	return row
}

// popularity is what readers made of an article, counted on the hour: a reaction for twenty views, a conversation for fifty.
func (o *Oracle) popularity(p *piece) string {
	hours := o.at/3600 - p.Created/3600
	views := int64(0)
	if hours > 0 {
		views = hours * p.Views
	}
	happy, neutral, sad := p.Happy, 100-40-p.Happy, int64(40)
	if views < 20 { // nobody has reacted
		happy, neutral, sad = 0, 0, 0
	}
	return object("type", text("article_statistics"), "views", number(views), "conversations", number(views/50), "reactions", number(views/20),
		"happy_reaction_percentage", number(happy), "neutral_reaction_percentage", number(neutral), "sad_reaction_percentage", number(sad))
}
