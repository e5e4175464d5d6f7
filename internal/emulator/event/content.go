package event

// ContentKind is one kind of what teammates write for others to read.
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
	ContentKinds // how many there are
)

// ContentEvent is one entry of the log of content since hour 0.
type ContentEvent struct {
	At      int64
	Kind    ContentKind
	N       int32
	What    ContentChange
	Set     []Change // what was written; none of an edit: teammates say something else, which is drawn
	Version int      // ContentNoted: the place of the version
}

// ContentChange is what happened to a piece of content.
type ContentChange uint8

// The kinds of the log of content.
const (
	ContentCreated ContentChange = iota
	ContentEdited
	ContentRemoved
	ContentNoted // a version of a data connector has another note, and the connector is as before
)

// NewsPlace is a newsfeed that a news item is in, since when.
type NewsPlace struct {
	Feed string
	At   int64
}

// Variation is what a piece of dynamic content says in a language, to readers of a brand or of all.
type Variation struct {
	Locale, Brand, Body string
	Empty               bool // it shows nothing, rather than what the default says
}
