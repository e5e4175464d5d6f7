package content

import (
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// localText is the text of an article in one language. References in the body have their stored form.
type localText struct {
	locale, title, description, body, state string
	author                                  int64
}

// ofLocale is the prefix of the fields of an article's translations.
const ofLocale = "translated_content."

// articleLocale is the default language of every article; writers cannot choose it.
const articleLocale = "en"

// articleTexts returns the text of an article in its default language, and in all languages with the default first.
func (m Maker) articleTexts(i Item) (own localText, all []localText) {
	d := m.from.Wording(i.Kind, i.N, i.Edits)
	own = localText{title: d.Title, description: d.Description, body: d.Body, state: "published", author: d.Author}
	if d.Draft {
		own.state = "draft"
	}
	locales := slices.Concat([]string{articleLocale}, []string{"de", "pt-BR", "ja"}[:min(3, i.Edits)]) // an edit may add a locale (trap T91)
	for _, locale := range locales {
		one := own
		one.locale, one.title = locale, locale+": "+d.Title
		all = append(all, i.EditedFields.overlayLocale(one, ofLocale+locale+"."))
	}
	own = i.EditedFields.overlayLocale(own, "")
	all[0] = i.EditedFields.overlayLocale(all[0], "")
	for _, locale := range i.EditedFields.editedLocales() {
		if !slices.Contains(locales, locale) {
			all = append(all, i.EditedFields.overlayLocale(localText{locale: locale, state: "draft", author: own.author}, ofLocale+locale+"."))
		}
	}
	return own, all
}

// overlayLocale replaces the drawn text in one language by the written one.
func (s editedFields) overlayLocale(l localText, prefix string) localText {
	l.title, l.description = s.textOr(prefix+"title", l.title), s.textOr(prefix+"description", l.description)
	l.body, l.state = s.textOr(prefix+"body", l.body), s.textOr(prefix+"state", l.state)
	l.author, _ = s.valueOr(prefix+"author_id", l.author).(int64)
	return l
}

// editedLocales returns the languages of the written translations.
func (s editedFields) editedLocales() (list []string) {
	for field := range s {
		if locale, in := strings.CutPrefix(field, ofLocale); in {
			list = append(list, locale[:strings.LastIndexByte(locale, '.')])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// articleRecord has the fields of workspace-api 2.5. Statistics are sent only by a single read, and change without updated_at (trap T92).
func (m Maker) articleRecord(i Item, as RenderOptions) jsontext.Record {
	own, all := m.articleTexts(i)
	created, updated := jsontext.Moment(i.Created), jsontext.Moment(i.Updated)
	locales := []string{`"type":"article_translated_content"`}
	for _, l := range all {
		p := &jsontext.Writer{}
		jsontext.WriteRecord(p, jsontext.Record{{Name: "type", Value: "article_content"}, {Name: "title", Value: l.title}, {Name: "description", Value: l.description}, {Name: "body", Value: m.renderBody(l.body, l.locale, as)},
			{Name: "author_id", Value: l.author}, {Name: "state", Value: l.state}, {Name: "created_at", Value: created}, {Name: "updated_at", Value: updated}, {Name: "url", Value: articleURL(i, l.state)}})
		locales = append(locales, jsontext.Quote(l.locale)+":"+string(p.Bytes))
	}
	list := jsontext.Record{{Name: "type", Value: "article"}, {Name: "id", Value: event.ContentID(event.Articles, i.N)}, {Name: "workspace_id", Value: m.workspace}, {Name: "title", Value: own.title}, {Name: "description", Value: own.description},
		{Name: "body", Value: m.renderBody(own.body, articleLocale, as)}, {Name: "author_id", Value: own.author}, {Name: "state", Value: own.state}, {Name: "created_at", Value: created}, {Name: "updated_at", Value: updated},
		{Name: "url", Value: articleURL(i, own.state)}, {Name: "parent_id", Value: nil}, {Name: "parent_type", Value: ""}, {Name: "default_locale", Value: articleLocale},
		{Name: "translated_content", Value: jsontext.RawJSON("{" + strings.Join(locales, ",") + "}")}}
	var parent any
	if id, err := strconv.ParseInt(i.Piece.Parent, 10, 64); err == nil {
		parent = id
	}
	if parent = i.EditedFields.valueOr("parent_id", parent); parent != nil {
		list[11].Value, list[12].Value = parent, "collection"
	}
	list = m.withFolder(list, i, as)
	if as.Whole {
		list = append(list, jsontext.Column{Name: "statistics", Value: jsontext.RawJSON(articleStatistics(i, as.Now))})
	}
	return list
}

// articleURL returns the public address of an article, "" for a draft.
func articleURL(i Item, state string) string {
	if state != "published" {
		return ""
	}
	return "https://help.example/articles/" + event.ContentText(event.Articles, i.N)
}

// withFolder adds the folder of an article, which came with the later version (workspace-api 9).
func (m Maker) withFolder(list jsontext.Record, i Item, as RenderOptions) jsontext.Record {
	if !as.Version.HasLaterChanges() {
		return list
	}
	return append(list, jsontext.Column{Name: "folder_id", Value: FolderOf(i)})
}

// FolderOf returns the folder of an article or an internal article, or nil.
func FolderOf(i Item) any {
	return i.EditedFields.valueOr("folder_id", orNothing(i.Piece.Folder))
}

// orNothing returns a text, or nil when it is empty.
func orNothing(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// articleStatistics returns statistics that are counted on the hour.
func articleStatistics(i Item, now int64) string {
	born := i.Piece
	views := max(0, now/3600-i.Created/3600) * born.Views / born.ViewsIn
	reactions, happy, neutral, sad := views/born.ViewsPerReaction, born.Happy, 100-born.Happy-born.Sad, born.Sad
	if reactions == 0 {
		happy, neutral, sad = 0, 0, 0
	}
	p := &jsontext.Writer{}
	jsontext.WriteRecord(p, jsontext.Record{{Name: "type", Value: "article_statistics"}, {Name: "views", Value: views}, {Name: "conversations", Value: views / born.ViewsPerTalk}, {Name: "reactions", Value: reactions},
		{Name: "happy_reaction_percentage", Value: happy}, {Name: "neutral_reaction_percentage", Value: neutral}, {Name: "sad_reaction_percentage", Value: sad}})
	return string(p.Bytes)
}

// articleBodies returns the stored bodies of an article in all languages.
func (m Maker) articleBodies(i Item) (list []string) {
	_, all := m.articleTexts(i)
	for _, l := range all {
		list = append(list, l.body)
	}
	return list
}
