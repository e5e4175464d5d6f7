package emulator

import (
	"maps"
	"net/http"
	"regexp"
	"slices"

	"aqueduck/internal/emulator/event"
)

// draft is a body that says something of a piece of content, and what was read of it.
type draft struct {
	*body
	w   *Workspace
	of  *item // nil: it is new, and what is not told is nothing
	set []event.Change
}

// drafts read what a body says of a kind of content; of the other kinds nothing can be written.
var drafts = [event.ContentKinds]func(d *draft){event.Articles: (*draft).article, event.InternalArticles: (*draft).internal, event.NewsItems: (*draft).news,
	event.Folders: (*draft).folder, event.DynamicContents: (*draft).dynamic}

// read gives what a body writes of a piece of content, nil for a new one. The body refuses what cannot be. The lock is held.
func (w *Workspace) read(kind event.ContentKind, of *item, b *body) []event.Change {
	d := draft{body: b, w: w, of: of}
	if drafts[kind] == nil {
		b.refuse(http.StatusBadRequest, "parameter_invalid", "nothing of %s can be written", contentNames[kind])
		return nil
	}
	drafts[kind](&d)
	return d.set
}

// put notes what a field says when it was told, or when the content is new.
func (d *draft) put(name string, value any) {
	if d.told(name) || d.of == nil {
		d.set = append(d.set, event.Change{Field: name, Value: value})
	}
}

// always needs fields of a new piece of content, and does not let them be taken from another.
func (d *draft) always(names ...string) {
	for _, name := range names {
		if d.told(name) || d.of == nil {
			d.need(name)
		}
	}
}

// sayingText is a text that is not empty when it was sent.
func sayingText(b *body, name string) string {
	text := b.text(name)
	if b.holds(name) && text == "" {
		b.invalid(name, "a text that is not empty")
	}
	return text
}

// refuseMissing refuses because of something that is named and not there (workspace-api 7).
func refuseMissing(b *body, what string) {
	b.refuse(http.StatusNotFound, "not_found", "%s Not Found", what)
}

// teammateOf is the id of an admin, nil when it was not sent.
func teammateOf(b *body, name string) any {
	id := b.whole(name)
	if !b.holds(name) || b.refused() {
		return nil
	}
	if !slices.ContainsFunc(event.Admins, func(a event.Admin) bool { return a.ID == id }) {
		refuseMissing(b, "Admin")
	}
	return id
}

// inFolder is the id of a folder that there is, nil for none.
func (d *draft) inFolder(name string) any {
	id := d.id(name)
	if !d.holds(name) || d.refused() {
		return nil
	}
	if _, there := d.w.itemNamed(event.Folders, id); !there {
		refuseMissing(d.body, "Folder")
	}
	return id
}

var localeForm = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// languageOf is a locale, English when it was not sent.
func languageOf(b *body, name string) string {
	locale := b.text(name)
	if !b.holds(name) {
		return "en"
	}
	if !localeForm.MatchString(locale) {
		b.invalid(name, "a locale, as pt-BR")
	}
	return locale
}

// article reads what is written of an article (workspace-api 2.5). What is said in its own language may be told among the translations.
func (d *draft) article() {
	translations := d.object("translated_content")
	own := translations.object(articleLocale)
	for name, raw := range own.fields {
		if !d.told(name) {
			d.fields[name] = raw
		}
	}
	d.always("title", "author_id")
	d.localised("", d.body)
	d.collection()
	d.put("folder_id", d.inFolder("folder_id"))
	for _, locale := range slices.Sorted(maps.Keys(translations.fields)) {
		if locale == "type" || locale == articleLocale {
			continue
		}
		if !localeForm.MatchString(locale) {
			d.invalid("translated_content", "an object of locales, as pt-BR")
		}
		said := translations.object(locale)
		if !d.saidIn(locale) || said.told("title") {
			said.need("title")
		}
		d.localised(ofLocale+locale+".", said)
	}
}

// saidIn says whether an article is there in a language already.
func (d *draft) saidIn(locale string) bool {
	if d.of == nil {
		return false
	}
	_, all := d.w.author().says(*d.of)
	return slices.ContainsFunc(all, func(l localised) bool { return l.locale == locale })
}

// localised reads what an article says in one language; of a translation only what was told.
func (d *draft) localised(prefix string, b *body) {
	put := func(name string, value any) {
		if b.told(name) || prefix == "" && d.of == nil {
			d.set = append(d.set, event.Change{Field: prefix + name, Value: value})
		}
	}
	if b.told("author_id") {
		b.need("author_id")
	}
	put("title", sayingText(b, "title"))
	put("description", b.text("description"))
	put("body", d.w.referring(b, "body"))
	put("author_id", teammateOf(b, "author_id"))
	state := b.word("state", "published", "draft")
	if state == "" {
		state = "draft"
	}
	put("state", state)
}

// collection reads what an article lies in.
func (d *draft) collection() {
	d.word("parent_type", "collection")
	id := d.id("parent_id")
	var parent any
	if d.holds("parent_id") && !d.refused() {
		i, there := d.w.itemNamed(event.Collections, id)
		if parent = event.ContentID(event.Collections, i.N); !there {
			refuseMissing(d.body, "Collection")
		}
	}
	d.put("parent_id", parent)
}

// internal reads what is written of an internal article (workspace-api 4.11).
func (d *draft) internal() {
	d.always("title", "author_id")
	if d.of == nil {
		d.need("owner_id")
	}
	d.put("title", sayingText(d.body, "title"))
	d.put("body", d.text("body"))
	d.put("owner_id", teammateOf(d.body, "owner_id"))
	d.put("author_id", teammateOf(d.body, "author_id"))
	d.put("locale", languageOf(d.body, "locale"))
	d.put("folder_id", d.inFolder("folder_id"))
}

// folder reads what is written of a folder, which never lies in itself.
func (d *draft) folder() {
	d.always("name")
	d.put("name", sayingText(d.body, "name"))
	parent := d.inFolder("parent_folder_id")
	d.put("parent_folder_id", parent)
	for at := parent; d.of != nil && at != nil && !d.refused(); {
		if at == any(event.ContentText(event.Folders, d.of.N)) {
			d.invalid("parent_folder_id", "a folder that does not lie in this one")
		}
		i, _ := d.w.itemNamed(event.Folders, at.(string))
		at = parentFolder(i)
	}
}

// news reads what is written of a news item. It is in its newsfeeds since a time that has passed: nothing is scheduled (workspace-api 4.11).
func (d *draft) news() {
	d.always("title", "sender_id")
	d.put("title", sayingText(d.body, "title"))
	d.put("body", d.text("body"))
	d.put("sender_id", teammateOf(d.body, "sender_id"))
	var was []event.NewsPlace
	if d.of != nil {
		was = placesOf(*d.of)
	}
	places := []event.NewsPlace{}
	for _, one := range d.objects("newsfeed_assignments") {
		one.need("newsfeed_id")
		place := event.NewsPlace{Feed: one.id("newsfeed_id"), At: d.w.now()}
		if n := inFeed(was, place.Feed); n >= 0 {
			place.At = was[n].At
		}
		if _, there := d.w.itemNamed(event.Newsfeeds, place.Feed); !there {
			refuseMissing(one, "Newsfeed")
		}
		if inFeed(places, place.Feed) >= 0 {
			one.invalid("newsfeed_id", "another newsfeed than those before")
		}
		if at := one.whole("published_at"); one.holds("published_at") {
			if place.At = at; at <= 0 || at > d.w.now() {
				one.invalid("published_at", "a time that has passed, in seconds")
			}
		}
		places = append(places, place)
	}
	d.put("newsfeed_assignments", places)
}

// The form of keys, and of those that dynamic content has whose writer names none.
var (
	keyForm   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	givenKeys = regexp.MustCompile(`^key_[0-9]+$`)
)

// dynamic reads what is written of dynamic content (workspace-api 4.11). What it is and which key it has is said when it is made.
func (d *draft) dynamic() {
	d.always("name")
	d.put("name", sayingText(d.body, "name"))
	now := dynamicContent{kind: d.word("content_type", "inline", "block"), locale: languageOf(d.body, "default_locale")}
	if d.of == nil {
		d.need("content_type", "variations")
		d.put("content_type", now.kind)
		if key := d.text("key"); d.holds("key") {
			if _, taken := keyed(d.w.content[event.DynamicContents])[key]; taken || !keyForm.MatchString(key) || givenKeys.MatchString(key) {
				d.invalid("key", "one of its own, of letters, digits, _ and -, and not as key_1")
			}
			d.put("key", key)
		}
	} else {
		was := d.w.author().dynamicOf(*d.of)
		now.kind, now.variations = was.kind, was.variations
		if !d.told("default_locale") {
			now.locale = was.locale
		}
	}
	d.put("default_locale", now.locale)
	if d.told("variations") {
		d.need("variations")
		now.variations = d.variations(now.kind)
		d.put("variations", now.variations)
	}
	if !slices.ContainsFunc(now.variations, func(v event.Variation) bool { return v.Locale == now.locale && v.Brand == "" }) {
		d.invalid("variations", "a list with one of the default locale that is for all brands")
	}
}

// variations reads the whole set: one for each locale, and for each brand where one is named. The short value of an inline one may be
// told as value, as the document calls it, or as body, as it is read.
func (d *draft) variations(kind string) (list []event.Variation) {
	for _, one := range d.objects("variations") {
		one.need("locale")
		v := event.Variation{Locale: languageOf(one, "locale"), Brand: one.id("brand_id"), Empty: one.flag("intentionally_empty")}
		name := "body"
		if kind == "inline" && one.told("value") {
			name = "value"
		}
		if !v.Empty { // what it holds is ignored
			one.need(name)
			v.Body = one.text(name)
		}
		if slices.ContainsFunc(list, func(o event.Variation) bool { return o.Locale == v.Locale && o.Brand == v.Brand }) {
			one.invalid("locale", "another than those before, or of another brand")
		}
		list = append(list, v)
	}
	return list
}
