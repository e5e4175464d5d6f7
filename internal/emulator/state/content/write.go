package content

import (
	"maps"
	"net/http"
	"regexp"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// draft is a body that says something of a piece of content, and what was read of it.
type draft struct {
	*input.Body
	w   *Content
	of  *Item // nil: it is new, and what is not told is nothing
	set []event.Change
}

// drafts read what a body says of a kind of content; of the other kinds nothing can be written.
var drafts = [event.ContentKinds]func(d *draft){event.Articles: (*draft).article, event.InternalArticles: (*draft).internal, event.NewsItems: (*draft).news,
	event.Folders: (*draft).folder, event.DynamicContents: (*draft).dynamic}

// put notes what a field says when it was told, or when the content is new.
func (d *draft) put(name string, value any) {
	if d.Told(name) || d.of == nil {
		d.set = append(d.set, event.Change{Field: name, Value: value})
	}
}

// always needs fields of a new piece of content, and does not let them be taken from another.
func (d *draft) always(names ...string) {
	for _, name := range names {
		if d.Told(name) || d.of == nil {
			d.Need(name)
		}
	}
}

// sayingText is a text that is not empty when it was sent.
func sayingText(b *input.Body, name string) string {
	text := b.Text(name)
	if b.Holds(name) && text == "" {
		b.Invalid(name, "a text that is not empty")
	}
	return text
}

// refuseMissing refuses because of something that is named and not there (workspace-api 7).
func refuseMissing(b *input.Body, what string) {
	b.Refuse(http.StatusNotFound, "not_found", "%s Not Found", what)
}

// ReadTeammate is the id of an admin, nil when it was not sent.
func ReadTeammate(b *input.Body, name string) any {
	id := b.Whole(name)
	if !b.Holds(name) || b.Refused() {
		return nil
	}
	if !slices.ContainsFunc(event.Admins, func(a event.Admin) bool { return a.ID == id }) {
		refuseMissing(b, "Admin")
	}
	return id
}

// inFolder is the id of a folder that there is, nil for none.
func (d *draft) inFolder(name string) any {
	id := d.ID(name)
	if !d.Holds(name) || d.Refused() {
		return nil
	}
	if _, there := d.w.FindItem(event.Folders, id); !there {
		refuseMissing(d.Body, "Folder")
	}
	return id
}

var localeForm = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// languageOf is a locale, English when it was not sent.
func languageOf(b *input.Body, name string) string {
	locale := b.Text(name)
	if !b.Holds(name) {
		return "en"
	}
	if !localeForm.MatchString(locale) {
		b.Invalid(name, "a locale, as pt-BR")
	}
	return locale
}

// article reads what is written of an article (workspace-api 2.5). What is said in its own language may be told among the translations.
func (d *draft) article() {
	translations := d.Object("translated_content")
	own := translations.Object(articleLocale)
	for name, raw := range own.Fields {
		if !d.Told(name) {
			d.Fields[name] = raw
		}
	}
	d.always("title", "author_id")
	d.localised("", d.Body)
	d.collection()
	d.put("folder_id", d.inFolder("folder_id"))
	for _, locale := range slices.Sorted(maps.Keys(translations.Fields)) {
		if locale == "type" || locale == articleLocale {
			continue
		}
		if !localeForm.MatchString(locale) {
			d.Invalid("translated_content", "an object of locales, as pt-BR")
		}
		said := translations.Object(locale)
		if !d.saidIn(locale) || said.Told("title") {
			said.Need("title")
		}
		d.localised(ofLocale+locale+".", said)
	}
}

// saidIn says whether an article is there in a language already.
func (d *draft) saidIn(locale string) bool {
	if d.of == nil {
		return false
	}
	_, all := d.w.NewMaker().says(*d.of)
	return slices.ContainsFunc(all, func(l localised) bool { return l.locale == locale })
}

// localised reads what an article says in one language; of a translation only what was told.
func (d *draft) localised(prefix string, b *input.Body) {
	put := func(name string, value any) {
		if b.Told(name) || prefix == "" && d.of == nil {
			d.set = append(d.set, event.Change{Field: prefix + name, Value: value})
		}
	}
	if b.Told("author_id") {
		b.Need("author_id")
	}
	put("title", sayingText(b, "title"))
	put("description", b.Text("description"))
	put("body", d.w.referring(b, "body"))
	put("author_id", ReadTeammate(b, "author_id"))
	state := b.Word("state", "published", "draft")
	if state == "" {
		state = "draft"
	}
	put("state", state)
}

// collection reads what an article lies in.
func (d *draft) collection() {
	d.Word("parent_type", "collection")
	id := d.ID("parent_id")
	var parent any
	if d.Holds("parent_id") && !d.Refused() {
		i, there := d.w.FindItem(event.Collections, id)
		if parent = event.ContentID(event.Collections, i.N); !there {
			refuseMissing(d.Body, "Collection")
		}
	}
	d.put("parent_id", parent)
}

// internal reads what is written of an internal article (workspace-api 4.11).
func (d *draft) internal() {
	d.always("title", "author_id")
	if d.of == nil {
		d.Need("owner_id")
	}
	d.put("title", sayingText(d.Body, "title"))
	d.put("body", d.Text("body"))
	d.put("owner_id", ReadTeammate(d.Body, "owner_id"))
	d.put("author_id", ReadTeammate(d.Body, "author_id"))
	d.put("locale", languageOf(d.Body, "locale"))
	d.put("folder_id", d.inFolder("folder_id"))
}

// folder reads what is written of a folder, which never lies in itself.
func (d *draft) folder() {
	d.always("name")
	d.put("name", sayingText(d.Body, "name"))
	parent := d.inFolder("parent_folder_id")
	d.put("parent_folder_id", parent)
	for at := parent; d.of != nil && at != nil && !d.Refused(); {
		if at == any(event.ContentText(event.Folders, d.of.N)) {
			d.Invalid("parent_folder_id", "a folder that does not lie in this one")
		}
		i, _ := d.w.FindItem(event.Folders, at.(string))
		at = ParentFolder(i)
	}
}

// news reads what is written of a news item. It is in its newsfeeds since a time that has passed: nothing is scheduled (workspace-api 4.11).
func (d *draft) news() {
	d.always("title", "sender_id")
	d.put("title", sayingText(d.Body, "title"))
	d.put("body", d.Text("body"))
	d.put("sender_id", ReadTeammate(d.Body, "sender_id"))
	var was []event.NewsPlace
	if d.of != nil {
		was = PlacesOf(*d.of)
	}
	places := []event.NewsPlace{}
	for _, one := range d.Objects("newsfeed_assignments") {
		one.Need("newsfeed_id")
		place := event.NewsPlace{Feed: one.ID("newsfeed_id"), At: d.w.Now()}
		if n := InFeed(was, place.Feed); n >= 0 {
			place.At = was[n].At
		}
		if _, there := d.w.FindItem(event.Newsfeeds, place.Feed); !there {
			refuseMissing(one, "Newsfeed")
		}
		if InFeed(places, place.Feed) >= 0 {
			one.Invalid("newsfeed_id", "another newsfeed than those before")
		}
		if at := one.Whole("published_at"); one.Holds("published_at") {
			if place.At = at; at <= 0 || at > d.w.Now() {
				one.Invalid("published_at", "a time that has passed, in seconds")
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
	d.put("name", sayingText(d.Body, "name"))
	now := dynamicContent{kind: d.Word("content_type", "inline", "block"), locale: languageOf(d.Body, "default_locale")}
	if d.of == nil {
		d.Need("content_type", "variations")
		d.put("content_type", now.kind)
		if key := d.Text("key"); d.Holds("key") {
			if _, taken := keyed(d.w.Items[event.DynamicContents])[key]; taken || !keyForm.MatchString(key) || givenKeys.MatchString(key) {
				d.Invalid("key", "one of its own, of letters, digits, _ and -, and not as key_1")
			}
			d.put("key", key)
		}
	} else {
		was := d.w.NewMaker().dynamicOf(*d.of)
		now.kind, now.variations = was.kind, was.variations
		if !d.Told("default_locale") {
			now.locale = was.locale
		}
	}
	d.put("default_locale", now.locale)
	if d.Told("variations") {
		d.Need("variations")
		now.variations = d.variations(now.kind)
		d.put("variations", now.variations)
	}
	if !slices.ContainsFunc(now.variations, func(v event.Variation) bool { return v.Locale == now.locale && v.Brand == "" }) {
		d.Invalid("variations", "a list with one of the default locale that is for all brands")
	}
}

// variations reads the whole set: one for each locale, and for each brand where one is named. The short value of an inline one may be
// told as value, as the document calls it, or as body, as it is read.
func (d *draft) variations(kind string) (list []event.Variation) {
	for _, one := range d.Objects("variations") {
		one.Need("locale")
		v := event.Variation{Locale: languageOf(one, "locale"), Brand: one.ID("brand_id"), Empty: one.Flag("intentionally_empty")}
		name := "body"
		if kind == "inline" && one.Told("value") {
			name = "value"
		}
		if !v.Empty { // what it holds is ignored
			one.Need(name)
			v.Body = one.Text(name)
		}
		if slices.ContainsFunc(list, func(o event.Variation) bool { return o.Locale == v.Locale && o.Brand == v.Brand }) {
			one.Invalid("locale", "another than those before, or of another brand")
		}
		list = append(list, v)
	}
	return list
}
