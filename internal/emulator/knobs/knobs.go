package knobs

import (
	"time"

	"aqueduck/internal/emulator/event"
)

// Knobs turn on what services of this kind do to their readers. The zero value is a well-behaved one that follows the
// document, with an index that needs up to four minutes.
type Knobs struct {
	// The search index and the lifecycle.
	NoLag        bool                 // changes are searchable at once
	LagMax       time.Duration        // until a change is searchable at the longest; 0: four minutes
	TailShare    float64              // share of changes that take up to Tail instead (trap T6)
	Tail         time.Duration        // the longest of all
	LagOf        map[string]SearchLag // of one kind of record: contacts, conversations, tickets, companies; contacts.new and so on of those never found before
	LeaveLag     time.Duration        // until one that left is no longer found; 0: at once
	StaleReplica float64              // share of search pages served from the version before (trap T7)
	Misday       time.Duration        // day meaning: a time this close to midnight may count for the other day (trap T3)
	QuietUntag   bool                 // removing a tag moves no updated_at (trap T45)
	ListDeletes  DeleteListing        // what DELETE /contacts/{id} leaves in the list of inactive contacts (trap T36)
	ChangeShare  float64              // share of contacts, of conversations and of tickets that change in an hour of life; 0: 1/600

	// Search.
	Sort       SortMode
	OffsetWalk bool    // cursors count records, so a list that changes while it is walked drifts (trap T9)
	Inclusive  bool    // > and < on times take in the second, or the day, that they name
	Duplicates float64 // share of records that a page holds twice (trap T18)
	ShortPages float64 // share of pages that hold half of their records, with a next (trap T16)
	EmptyPages float64 // share of pages that come empty, with a next (trap T16)
	LoopAt     int     // the page whose next leads back to the page before (trap T15)
	TooLarge   int     // search pages of more records are answered 504 (trap T20)

	StrictFilters bool // what the document does not tell of filters is refused, and no filter finds records without the custom attribute
	SearchRefused int  // status of a search that is refused; 0: 400

	// Lists.
	CursorLife    int                   // a cursor dies after so many more requests; 0: never (trap T12)
	LooseCursors  bool                  // a cursor is taken by other questions than its own, and leads anywhere (trap T13)
	NextShape     PageShape             // of pages.next when there is one; "": an object
	EndShape      PageShape             // of the end of a list; "": next is null
	ShapesOf      map[string]PageShapes // of single routes by their names, instead of NextShape and EndShape
	TotalError    float64               // total_count is off by this share (trap T17)
	TotalCap      int                   // total_count never says more
	NoTotal       bool                  // total_count is not sent
	PagesAsText   bool                  // page and per_page come as text
	NoTotalPages  bool                  // total_pages is 0
	NestedCap     int                   // items of a list inside a contact; 0: 10
	BareNested    bool                  // nested lists tell neither total_count nor has_more
	SubListPage   int                   // default page size of a contact's own lists; 0: 50
	DeletedOrder  InactiveOrder         // of the list of inactive contacts; "": latest first
	TrailingToken bool                  // the last page of activities carries a cursor too, which leads to an empty page
	ActivityLag   time.Duration         // an activity may come into the feed up to so late, before others that are there (trap T38)
	Retention     time.Duration         // activities older than this are no longer served (trap T39)

	// Conversations.
	ConversationsKey string // of the list that conversation search gives; "": conversations (trap T54)
	QAOptOut         bool   // the workspace did not opt in: answers up to 2.16, too, have no attributes written by quality assurance (trap T67)
	PartsCap         int    // parts in a conversation's answer, the newest; 0: 500 (trap T57)
	FlatTables       bool   // tables in the bodies of replies become text, as where that is not enabled yet (workspace-api 8)
	OmitEmpty        bool   // parts have no fields that are null (workspace-api 2.10)

	QuietConversations  Occurrence // whether life's ratings, reviews and redactions leave updated_at where it is (traps T58, T65)
	SilentParts         bool       // life also changes parts in their place, and nothing tells (trap T58)
	DeleteConversations bool       // life also deletes conversations (trap T60)

	TicketsKey      string     // of the list that ticket search gives; "": tickets
	TicketStateText Occurrence // whether a ticket's state is text; by turns: up to 2.16

	DeletedConversationsOrder InactiveOrder // of the list of them, where order is not asked for; "": latest first
	HitlRedacted              Occurrence    // whether a redacted conversation's consultations are left out; else their text is null (trap T72)

	CompanyListCap int  // records that the list of companies stops at; 0: 10,000 (trap T80)
	ScrollNamesEnd bool // the page that ends a scroll still has its parameter, which 404 answers from then on

	TopFolders       bool // the list of folders has those that lie in none, unless it is asked for those in one
	NoDynamicContent bool // dynamic content is disabled: its endpoints answer 403 (workspace-api 5.4)

	MergeHistory bool // include_merge_history adds fields that nobody has told of (trap T23)

	// Calls.
	CallsShuffled  bool          // the list has another order each hour (trap T87)
	CallsLeftOut   float64       // share of calls that search leaves out without a word (trap T89)
	TranscriptLate time.Duration // transcripts are final so much later (trap T87)

	// The admins' activity log (trap T84).
	LogPage      int           // entries of an answer, whatever per_page asks for
	LogBoundsOut bool          // the times asked for are themselves outside; else they are inside
	LogNoNext    bool          // next is not sent: only total_pages says that there is more
	LogLag       time.Duration // an entry may come into the list up to so late

	Export   ExportKnobs       // the reporting exports
	JobWords map[string]string // what jobs call their status, by the document's word for it (trap T95)

	// The whole service.
	NoDate         bool          // answers carry no Date
	DateOffset     time.Duration // the Date header is off by this
	NoRateHeaders  bool          // no X-RateLimit-* (trap T117)
	OddRateHeaders bool          // less than nothing remains, until an hour ago
	RetryAfter     string        // sent with 429: "", "seconds" or "date"
	IgnoreVersion  string        // this version is served whatever is asked for (trap T114)
	LaterOnly      bool          // what the later version added answers 404 up to 2.16, as a strict reading of section 9 has it; what 2.14 added always does before
	Unavailable    []string      // routes answered 403 api_plan_restricted, by their names or by what is before the dot
	Forbidden      []string      // routes answered 403 whichever the token, for a scope that the document does not name
	RevokeAt       int           // from this request on the token is refused; 0: never (trap T116)
	EmptyLists     bool          // every list is empty
	NoGzip         bool          // answers are never compressed
	Chaos          string        // as --chaos takes it; New panics on a bad one, ParseChaos tells

	Forms []Form // other shapes that values of good answers take on their way out

	Codes map[string]string // codes of errors by those that are usual here: another word for the same

	// What else the document leaves open.
	QuietReturns   Occurrence // whether contacts that life un-archives and un-blocks keep their updated_at (trap T27)
	UsersOnly      bool       // leads are no users of a company
	AttachMoves    bool       // attaching and detaching a contact moves the company's updated_at
	SegmentCount   string     // the field with the number of a segment's members; "": count (trap T83)
	FormerAdmins   bool       // the list of admins has those who were deleted
	OldLimitType   string     // of activities of both assignment limits before 2.14; "": admin_assignment_limit_change (trap T85)
	ReadScopesOnly bool       // a scope read_write_… does not let its bearer read

	// Mutate changes a good answer's body before it is sent; nil: as it is. It gets a copy. Unknown fields, odd numbers,
	// doubled keys, broken UTF-8 and bombs are made with it (traps T120 to T130).
	Mutate func(route string, body []byte) []byte `json:"-"`
}

// ShouldHappen says whether it happens this time.
func (s Occurrence) ShouldHappen(r *event.RNG) bool {
	turn := r.Chance(0.5)
	return s == Always || s == ByTurns && turn
}

// DeleteListing says whether contacts deleted by DELETE get an entry, with status pending_deletion, in the list of inactive ones.
type DeleteListing string

// What DELETE leaves behind.
const (
	ListSome DeleteListing = ""     // three of four
	ListAll  DeleteListing = "all"  // always
	ListNone DeleteListing = "none" // never: only the activity tells
)

// ShouldList says whether a contact is listed that is deleted at a place in the log.
func (l DeleteListing) ShouldList(seq int) bool {
	return l == ListAll || l == ListSome && event.MixBits(uint64(seq))%4 != 0
}

// Occurrence says whether something happens that may happen or not.
type Occurrence string

// How often.
const (
	ByTurns Occurrence = "" // half of the time
	Always  Occurrence = "always"
	Never   Occurrence = "never"
)

// HourlyChange is the share of records that change in an hour of life.
func (k *Knobs) HourlyChange() float64 {
	if k.ChangeShare == 0 {
		return 1.0 / 600
	}
	return k.ChangeShare
}

// SortMode says what the service makes of a search's sort.
type SortMode string

// What search does with sort (trap T10).
const (
	SortHonoured SortMode = ""
	SortIgnored  SortMode = "ignored"  // in an order of its own
	SortShuffled SortMode = "shuffled" // one record in a hundred is out of place
	SortRejected SortMode = "rejected" // anything but ascending gives 400
)

// InactiveOrder is the order of the list of inactive contacts.
type InactiveOrder string

// Orders of the list of inactive contacts.
const (
	OrderRecent InactiveOrder = ""
	OrderOldest InactiveOrder = "oldest"
	OrderRandom InactiveOrder = "random" // another one each request: nothing but repeated sweeps helps
)

// PageShape is a form that pages or pages.next takes (trap T14).
type PageShape string

// Forms of next, and of the end of a list.
const (
	ShapeObject   PageShape = ""         // {"page":2,"starting_after":"…"}; at the end null
	ShapeNoPage   PageShape = "no-page"  // {"starting_after":"…"}
	ShapeURL      PageShape = "url"      // an absolute URL
	ShapeAbsent   PageShape = "absent"   // end: pages without next
	ShapeNoPages  PageShape = "no-pages" // end: no pages at all
	ShapeNullPage PageShape = "null"     // end: pages is null
	ShapeEmpty    PageShape = "empty"    // end: pages is {}
	ShapeEmptyEnd PageShape = "cursor"   // end: next has a starting_after of ""
)

// PageShapes are the forms of the two ends of a page.
type PageShapes struct{ Next, End PageShape }

// SegmentCountField is the field with the number of a segment's members.
func (k *Knobs) SegmentCountField() string {
	if k.SegmentCount != "" {
		return k.SegmentCount
	}
	return "count"
}

// ShapesFor are the forms for a route.
func (k *Knobs) ShapesFor(route string) PageShapes {
	if s, own := k.ShapesOf[route]; own {
		return s
	}
	return PageShapes{k.NextShape, k.EndShape}
}

// SearchLag is how long changes take to become searchable: evenly up to Max, but for a share that takes up to Tail.
type SearchLag struct {
	Max       time.Duration
	TailShare float64 // 0 to 1
	Tail      time.Duration
}

// DrawLag draws how long a change of a kind of record takes to become searchable.
func (k *Knobs) DrawLag(r *event.RNG, kind string, fresh bool) time.Duration {
	if k.NoLag {
		return 0
	}
	l, own := k.LagOf[kind]
	if of, ownNew := k.LagOf[kind+".new"]; fresh && ownNew {
		l, own = of, true
	}
	if !own {
		l = SearchLag{k.LagMax, k.TailShare, k.Tail}
		if l.Max == 0 {
			l.Max = 4 * time.Minute
		}
	}
	if r.Chance(l.TailShare) {
		return time.Duration(r.Float64() * float64(l.Tail))
	}
	return time.Duration(r.Float64() * float64(l.Max))
}

// partsCap is how many parts an answer holds, the newest (api-notes, Searching and paging).
const partsCap = 500

// MostParts is how many parts an answer holds.
func (k *Knobs) MostParts() int {
	if k.PartsCap > 0 {
		return k.PartsCap
	}
	return partsCap
}

// Form is another shape that a value of good answers takes on its way out: other versions and other workspaces send it so. What
// the workspace is does not change.
type Form struct {
	Of   string // the route, or what is before its dot
	ID   string // of the record; "": each
	Path string // of the value in the record, as a.b[].c and with {} for any key; after $. in the answer around the records
	To   string // where it is sent instead; "": where it was
	As   string // what is sent instead: a JSON text, or string, integer, number, boolean, object, array, absent; "": the value itself
}
