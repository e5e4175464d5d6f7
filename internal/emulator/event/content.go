package event

// ContentKind is one kind of what teammates write for others, such as articles.
type ContentKind uint8

// The kinds of content.
const (
	Articles ContentKind = iota
	InternalArticles
	Collections
	Newsfeeds
	NewsItems
	Folders
	DynamicContents
	Connectors
	ContentKinds // number of kinds
)

// ContentEvent is one entry of the log of content since hour 0.
type ContentEvent struct {
	At      int64 // Unix seconds
	Kind    ContentKind
	N       int32
	What    ContentChange
	Set     []FieldChange // the written fields; empty when a simulated edit draws new texts
	Version int           // ContentNoted: index of the version
}

// ContentChange is the kind of a content event.
type ContentChange uint8

// The kinds of the log of content.
const (
	ContentCreated ContentChange = iota
	ContentEdited
	ContentRemoved
	ContentNoted // a version of a data connector has another note; the connector itself does not change
)

// NewsPlace is a newsfeed of a news item, and when the item was assigned to it.
type NewsPlace struct {
	Feed string
	At   int64 // unix seconds
}

// Variation is a piece of dynamic content in one language, for readers of one brand or of all.
type Variation struct {
	Locale, Brand, Body string
	Empty               bool // shows nothing, instead of the default variation
}

// BornContent is a piece of content at hour 0, with the number of its edits until then.
type BornContent struct {
	Kind             ContentKind
	N                int32
	Created, Updated int64 // Unix seconds
	Edits            int   // number of edits
}

// Piece has the properties of a piece of content that edits keep unless they write another value.
type Piece struct {
	Parent string // id of the parent collection or folder; "": none
	Folder string // id of the folder of an article or an internal article; "": none
	Feed   string // id of the newsfeed of a news item
	Key    string // key of dynamic content
	Block  bool   // dynamic content is a block, not inline

	Untimed bool  // the list sends no times of an internal article
	Views   int64 // views of an article in ViewsIn hours
	ViewsIn int64 // hours
	Happy   int64 // share of happy reactions to an article, in percent; the others are sad or neutral
	Sad     int64 // share of sad reactions, in percent

	ViewsPerReaction, ViewsPerTalk int64 // how many views of an article lead to a reaction, and to a conversation
}

// Wording is the text of a piece of content after a number of edits, with the fields of its kind. Its body refers to dynamic content by
// DynamicReference.
type Wording struct {
	Title, Description, Body string
	Other                    string // text of dynamic content in German
	Draft                    bool   // not live
	Author, Owner            int64  // 0: nobody
	Locale, State, Method    string
}

// DynamicReference returns a reference to dynamic content in its stored form: an empty element, span or div, with the key.
func DynamicReference(element, key string) string {
	return "<" + element + ` class="service-dynamic-content" data-service-dynamic-content-key="` + key + `"></` + element + ">"
}
