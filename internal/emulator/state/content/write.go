package content

import (
	"maps"
	"net/http"
	"regexp"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// contentDraft reads a body that writes a piece of content, and collects the changes.
type contentDraft struct {
	*input.Body
	w   *Content
	of  *Item // nil: a new item, with empty values for fields that were not sent
	set []event.FieldChange
}

// drafts have the reader of each kind of content; kinds without one cannot be written.
var drafts = [event.ContentKinds]func(d *contentDraft){event.Articles: (*contentDraft).readArticle, event.InternalArticles: (*contentDraft).readInternal, event.NewsItems: (*contentDraft).readNews,
	event.Folders: (*contentDraft).readFolder, event.DynamicContents: (*contentDraft).readDynamic}

// setField adds a change when the field was sent, or when the content is new.
func (d *contentDraft) setField(name string, value any) {
	if d.WasSent(name) || d.of == nil {
		d.set = append(d.set, event.FieldChange{Field: name, Value: value})
	}
}

// requireFields refuses new content without these fields, and an update that sets one of them to null.
func (d *contentDraft) requireFields(names ...string) {
	for _, name := range names {
		if d.WasSent(name) || d.of == nil {
			d.RequireFields(name)
		}
	}
}

// readNonEmptyText returns a text that must not be empty when it was sent.
func readNonEmptyText(b *input.Body, name string) string {
	text := b.ReadText(name)
	if b.HasValue(name) && text == "" {
		b.RefuseField(name, "a text that is not empty")
	}
	return text
}

// refuseMissing refuses the body because it names something that does not exist (workspace-api 7).
func refuseMissing(b *input.Body, what string) {
	b.Refuse(http.StatusNotFound, "not_found", "%s Not Found", what)
}

// ReadTeammate returns the id of an admin, nil when it was not sent.
func ReadTeammate(cast *event.Cast, b *input.Body, name string) any {
	id := b.ReadInt(name)
	if !b.HasValue(name) || b.IsRefused() {
		return nil
	}
	if !slices.ContainsFunc(cast.Admins, func(a event.Admin) bool { return a.ID == id }) {
		refuseMissing(b, "Admin")
	}
	return id
}

// readFolderID returns the id of an existing folder, nil for none.
func (d *contentDraft) readFolderID(name string) any {
	id := d.ReadID(name)
	if !d.HasValue(name) || d.IsRefused() {
		return nil
	}
	if _, there := d.w.FindItem(event.Folders, id); !there {
		refuseMissing(d.Body, "Folder")
	}
	return id
}

var localeForm = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// languageOf returns a locale, English when it was not sent.
func languageOf(b *input.Body, name string) string {
	locale := b.ReadText(name)
	if !b.HasValue(name) {
		return "en"
	}
	if !localeForm.MatchString(locale) {
		b.RefuseField(name, "a locale, as pt-BR")
	}
	return locale
}

// readArticle reads the fields of an article (workspace-api 2.5). The text in its default language may also stand among the translations.
func (d *contentDraft) readArticle() {
	translations := d.ReadObject("translated_content")
	own := translations.ReadObject(articleLocale)
	for name, raw := range own.Fields {
		if !d.WasSent(name) {
			d.Fields[name] = raw
		}
	}
	d.requireFields("title", "author_id")
	d.readLocale("", d.Body)
	d.readCollection()
	d.setField("folder_id", d.readFolderID("folder_id"))
	for _, locale := range slices.Sorted(maps.Keys(translations.Fields)) {
		if locale == "type" || locale == articleLocale {
			continue
		}
		if !localeForm.MatchString(locale) {
			d.RefuseField("translated_content", "an object of locales, as pt-BR")
		}
		said := translations.ReadObject(locale)
		if !d.hasLocale(locale) || said.WasSent("title") {
			said.RequireFields("title")
		}
		d.readLocale(ofLocale+locale+".", said)
	}
}

// hasLocale reports whether an article has a text in a language already.
func (d *contentDraft) hasLocale(locale string) bool {
	if d.of == nil {
		return false
	}
	_, all := d.w.NewMaker().articleTexts(*d.of)
	return slices.ContainsFunc(all, func(l localText) bool { return l.locale == locale })
}

// readLocale reads the text of an article in one language; of a translation only the fields that were sent.
func (d *contentDraft) readLocale(prefix string, b *input.Body) {
	put := func(name string, value any) {
		if b.WasSent(name) || prefix == "" && d.of == nil {
			d.set = append(d.set, event.FieldChange{Field: prefix + name, Value: value})
		}
	}
	if b.WasSent("author_id") {
		b.RequireFields("author_id")
	}
	put("title", readNonEmptyText(b, "title"))
	put("description", b.ReadText("description"))
	put("body", d.w.normaliseReferences(b, "body"))
	put("author_id", ReadTeammate(d.w.Setup.Cast, b, "author_id"))
	state := b.ReadWord("state", "published", "draft")
	if state == "" {
		state = "draft"
	}
	put("state", state)
}

// readCollection reads the collection of an article.
func (d *contentDraft) readCollection() {
	d.ReadWord("parent_type", "collection")
	id := d.ReadID("parent_id")
	var parent any
	if d.HasValue("parent_id") && !d.IsRefused() {
		i, there := d.w.FindItem(event.Collections, id)
		if parent = event.ContentID(event.Collections, i.N); !there {
			refuseMissing(d.Body, "Collection")
		}
	}
	d.setField("parent_id", parent)
}

// readInternal reads the fields of an internal article (workspace-api 4.11).
func (d *contentDraft) readInternal() {
	d.requireFields("title", "author_id")
	if d.of == nil {
		d.RequireFields("owner_id")
	}
	d.setField("title", readNonEmptyText(d.Body, "title"))
	d.setField("body", d.ReadText("body"))
	d.setField("owner_id", ReadTeammate(d.w.Setup.Cast, d.Body, "owner_id"))
	d.setField("author_id", ReadTeammate(d.w.Setup.Cast, d.Body, "author_id"))
	d.setField("locale", languageOf(d.Body, "locale"))
	d.setField("folder_id", d.readFolderID("folder_id"))
}

// readFolder reads the fields of a folder. A folder cannot lie in itself.
func (d *contentDraft) readFolder() {
	d.requireFields("name")
	d.setField("name", readNonEmptyText(d.Body, "name"))
	parent := d.readFolderID("parent_folder_id")
	d.setField("parent_folder_id", parent)
	for at := parent; d.of != nil && at != nil && !d.IsRefused(); {
		if at == any(event.ContentText(event.Folders, d.of.N)) {
			d.RefuseField("parent_folder_id", "a folder that does not lie in this one")
		}
		i, _ := d.w.FindItem(event.Folders, at.(string))
		at = ParentFolder(i)
	}
}

// readNews reads the fields of a news item. Its times of publication must have passed, as nothing is scheduled (workspace-api 4.11).
func (d *contentDraft) readNews() {
	d.requireFields("title", "sender_id")
	d.setField("title", readNonEmptyText(d.Body, "title"))
	d.setField("body", d.ReadText("body"))
	d.setField("sender_id", ReadTeammate(d.w.Setup.Cast, d.Body, "sender_id"))
	var was []event.NewsPlace
	if d.of != nil {
		was = PlacesOf(*d.of)
	}
	places := []event.NewsPlace{}
	for _, one := range d.ReadObjects("newsfeed_assignments") {
		one.RequireFields("newsfeed_id")
		place := event.NewsPlace{Feed: one.ReadID("newsfeed_id"), At: d.w.UnixNow()}
		if n := FeedPlace(was, place.Feed); n >= 0 {
			place.At = was[n].At
		}
		if _, there := d.w.FindItem(event.Newsfeeds, place.Feed); !there {
			refuseMissing(one, "Newsfeed")
		}
		if FeedPlace(places, place.Feed) >= 0 {
			one.RefuseField("newsfeed_id", "another newsfeed than those before")
		}
		if at := one.ReadInt("published_at"); one.HasValue("published_at") {
			if place.At = at; at <= 0 || at > d.w.UnixNow() {
				one.RefuseField("published_at", "a time that has passed, in seconds")
			}
		}
		places = append(places, place)
	}
	d.setField("newsfeed_assignments", places)
}

// The form of keys, and of generated keys when the request names none.
var (
	keyForm   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	givenKeys = regexp.MustCompile(`^key_[0-9]+$`)
)

// readDynamic reads the fields of dynamic content (workspace-api 4.11). Its kind and key are set once, when it is created.
func (d *contentDraft) readDynamic() {
	d.requireFields("name")
	d.setField("name", readNonEmptyText(d.Body, "name"))
	now := dynamicContent{kind: d.ReadWord("content_type", "inline", "block"), locale: languageOf(d.Body, "default_locale")}
	if d.of == nil {
		d.RequireFields("content_type", "variations")
		d.setField("content_type", now.kind)
		if key := d.ReadText("key"); d.HasValue("key") {
			if _, taken := itemsByKey(d.w.Items[event.DynamicContents])[key]; taken || !keyForm.MatchString(key) || givenKeys.MatchString(key) {
				d.RefuseField("key", "one of its own, of letters, digits, _ and -, and not as key_1")
			}
			d.setField("key", key)
		}
	} else {
		was := d.w.NewMaker().dynamicOf(*d.of)
		now.kind, now.variations = was.kind, was.variations
		if !d.WasSent("default_locale") {
			now.locale = was.locale
		}
	}
	d.setField("default_locale", now.locale)
	if d.WasSent("variations") {
		d.RequireFields("variations")
		now.variations = d.readVariations(now.kind)
		d.setField("variations", now.variations)
	}
	if !slices.ContainsFunc(now.variations, func(v event.Variation) bool { return v.Locale == now.locale && v.Brand == "" }) {
		d.RefuseField("variations", "a list with one of the default locale that is for all brands")
	}
}

// readVariations reads the whole set: one for each locale, and for each brand where one is named. The short value of an inline variation may
// be sent as value, as the document calls it, or as body, as answers have it.
func (d *contentDraft) readVariations(kind string) (list []event.Variation) {
	for _, one := range d.ReadObjects("variations") {
		one.RequireFields("locale")
		v := event.Variation{Locale: languageOf(one, "locale"), Brand: one.ReadID("brand_id"), Empty: one.ReadBool("intentionally_empty")}
		name := "body"
		if kind == "inline" && one.WasSent("value") {
			name = "value"
		}
		if !v.Empty { // the value of an empty variation is ignored
			one.RequireFields(name)
			v.Body = one.ReadText(name)
		}
		if slices.ContainsFunc(list, func(o event.Variation) bool { return o.Locale == v.Locale && o.Brand == v.Brand }) {
			one.RefuseField("locale", "another than those before, or of another brand")
		}
		list = append(list, v)
	}
	return list
}
