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
	At      int64 // Unix seconds
	Kind    ContentKind
	N       int32
	What    ContentChange
	Set     []FieldChange // what was written; none of an edit: teammates say something else, which is drawn
	Version int           // ContentNoted: the place of the version
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

// BornContent is a piece of content of hour 0, and how often it was edited by then.
type BornContent struct {
	Kind             ContentKind
	N                int32
	Created, Updated int64 // Unix seconds
	Edits            int   // how often teammates had edited it
}

// Piece is what a piece of content was born with and keeps, whatever it says, unless something else is written.
type Piece struct {
	Parent string // id of the collection or folder that it lies in; "": none
	Folder string // id of the folder of an article or an internal article; "": none
	Feed   string // id of the newsfeed of a news item
	Key    string // of dynamic content
	Block  bool   // dynamic content is a block, not inline

	Untimed bool  // the list tells no times of an internal article
	Views   int64 // of an article, in an hour
	Happy   int64 // percent of the reactions to an article; 40 are sad, the others neutral
}

// Wording is what a piece of content says that teammates have edited so often: of the fields that its kind has. A body refers to dynamic
// content by Reference.
type Wording struct {
	Title, Description, Body string
	Other                    string // what dynamic content says in German
	Draft                    bool   // it is not live
	Author, Owner            int64  // 0: nobody
	Locale, State, Method    string
}

// DynamicReference is how a body that is kept refers to dynamic content: as an element, span or div, with its key and nothing in it.
func DynamicReference(element, key string) string {
	return "<" + element + ` class="service-dynamic-content" data-service-dynamic-content-key="` + key + `"></` + element + ">"
}
