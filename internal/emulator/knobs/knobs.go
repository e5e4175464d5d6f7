package knobs

import (
	"time"

	"aqueduck/internal/emulator/event"
)

// Knobs turn on optional behaviour of the service: delays, faults and other readings of the document. The zero value follows the document,
// with a search index that lags by up to four minutes.
type Knobs struct {
	// The search index and the lifecycle.
	NoLag        bool                 // changes are searchable at once
	LagMax       time.Duration        // longest time until a change is searchable; 0: four minutes
	TailShare    float64              // share of changes that take up to Tail instead (trap T6)
	Tail         time.Duration        // longest time until a change of TailShare is searchable
	LagOf        map[string]SearchLag // lag of one kind of record: contacts, conversations, tickets, companies; contacts.new and so on for new records
	LeaveLag     time.Duration        // time until search no longer finds a record that left; 0: at once
	StaleReplica float64              // share of search pages served from the previous version (trap T7)
	Misday       time.Duration        // times compared by day: a time this close to midnight may count for the other day (trap T3)
	QuietUntag   bool                 // removing a tag does not move updated_at (trap T45)
	ListDeletes  DeleteListing        // what DELETE /contacts/{id} leaves in the list of inactive contacts (trap T36)
	ChangeShare  float64              // share of contacts, of conversations and of tickets that change in a simulated hour; 0: 1/600

	// Search.
	Sort       SortMode
	OffsetWalk bool    // cursors are offsets, so a list that changes during a walk drifts (trap T9)
	Inclusive  bool    // > and < on times include the named second or day
	Duplicates float64 // share of records that a page contains twice (trap T18)
	ShortPages float64 // share of pages that contain half of their records and still have a next (trap T16)
	EmptyPages float64 // share of pages that are empty and have a next (trap T16)
	LoopAt     int     // the page with a next that leads back to the page before (trap T15)
	TooLarge   int     // search pages with more records are answered 504 (trap T20)

	TextTimes     bool // filters also take times and whole numbers as text
	StrictFilters bool // filters that the document does not describe are refused, and no filter finds records without the custom attribute
	SearchRefused int  // status of a refused search; 0: 400

	// Lists.
	CursorLife    int                   // number of requests after which a cursor expires; 0: never (trap T12)
	LooseCursors  bool                  // a cursor is accepted by other queries, and its position means nothing there (trap T13)
	NextShape     PageShape             // form of pages.next before the last page; "": an object
	EndShape      PageShape             // form of the end of a list; "": next is null
	ShapesOf      map[string]PageShapes // forms for single routes by name, instead of NextShape and EndShape
	TotalError    float64               // share by which total_count is wrong (trap T17)
	TotalCap      int                   // largest total_count that is sent
	NoTotal       bool                  // total_count is not sent
	PagesAsText   bool                  // page and per_page are sent as text
	NoTotalPages  bool                  // total_pages is 0
	NestedCap     int                   // items of a list inside a contact; 0: 10
	BareNested    bool                  // nested lists have neither total_count nor has_more
	SubListPage   int                   // default page size of a contact's own lists; 0: 50
	DeletedOrder  InactiveOrder         // order of the list of inactive contacts; "": latest first
	TrailingToken bool                  // the last page of activities has a cursor too, which leads to an empty page
	ActivityLag   time.Duration         // longest delay of an activity in the feed, which then sorts before others (trap T38)
	Retention     time.Duration         // activities older than this are no longer served (trap T39)

	// Conversations.
	ConversationsKey string // key of the list in answers of conversation search; "": conversations (trap T54)
	QAOptOut         bool   // the workspace did not opt in: answers up to 2.16 have no attributes written by quality assurance either (trap T67)
	PartsCap         int    // number of newest parts in the answer about a conversation; 0: 500 (trap T57)
	FlatTables       bool   // tables in the bodies of replies become text, as in workspaces where tables are not enabled (workspace-api 8)
	OmitEmpty        bool   // parts omit fields that are null (workspace-api 2.10)

	QuietConversations  Occurrence // whether simulated ratings, reviews and redactions leave updated_at unchanged (traps T58, T65)
	SilentParts         bool       // simulated hours also change parts in place, without a new updated_at (trap T58)
	DeleteConversations bool       // simulated hours also delete conversations (trap T60)

	TicketsKey      string     // key of the list in answers of ticket search; "": tickets
	TicketStateText Occurrence // whether a ticket's state is text; by turns: up to 2.16

	DeletedConversationsOrder InactiveOrder // order of the list of deleted conversations when the request names none; "": latest first
	HitlRedacted              Occurrence    // whether the consultations of a redacted conversation are omitted; otherwise their texts are null (trap T72)

	CompanyListCap int  // number of records after which the list of companies ends; 0: 10,000 (trap T80)
	ScrollNamesEnd bool // the last page of a scroll still has its scroll_param, which then answers 404

	TopFolders       bool // the list of folders has only top folders unless a parent is named
	NoDynamicContent bool // dynamic content is disabled: its endpoints answer 403 (workspace-api 5.4)

	MergeHistory bool // include_merge_history adds undocumented fields (trap T23)

	// Calls.
	CallsShuffled  bool          // the list has another order in each hour (trap T87)
	CallsLeftOut   float64       // share of calls that search omits without an error (trap T89)
	TranscriptLate time.Duration // delay of final transcripts (trap T87)

	// The admins' activity log (trap T84).
	LogPage      int           // entries of an answer, regardless of per_page
	LogBoundsOut bool          // the requested bounds are excluded; otherwise they are included
	LogNoNext    bool          // next is not sent: only total_pages shows that there is more
	LogLag       time.Duration // longest delay of an entry in the list

	Export   ExportKnobs       // the reporting exports
	JobWords map[string]string // statuses of jobs, by the document's word for each (trap T95)

	// The whole service.
	NoDate         bool          // answers have no Date
	DateOffset     time.Duration // error of the Date header
	NoRateHeaders  bool          // no X-RateLimit-* (trap T117)
	OddRateHeaders bool          // the remaining requests are below zero, and the reset is an hour ago
	RetryAfter     string        // sent with 429: "", "seconds" or "date"
	IgnoreVersion  string        // this version is served regardless of the requested one (trap T114)
	LaterOnly      bool          // additions of the later version answer 404 up to 2.16, a strict reading of section 9; additions of 2.14 always do so before 2.14
	Unavailable    []string      // routes answered 403 api_plan_restricted, by name or by the part before the dot
	Forbidden      []string      // routes answered 403 for every token, for a scope that the document does not name
	RevokeAt       int           // number of the request from which on the token is refused; 0: never (trap T116)
	EmptyLists     bool          // every list is empty
	NoGzip         bool          // answers are never compressed
	Chaos          string        // as --chaos takes it; New panics on a bad one, and ParseChaos returns its error

	Forms []Form // other shapes of values in good answers

	Codes map[string]string // error codes by the default code that each replaces

	// Other questions that the document leaves open.
	QuietReturns   Occurrence // whether contacts that simulated hours un-archive and un-block keep their updated_at (trap T27)
	UsersOnly      bool       // leads do not count as users of a company
	AttachMoves    bool       // attaching and detaching a contact moves the company's updated_at
	SegmentCount   string     // name of the field with the number of a segment's members; "": count (trap T83)
	FormerAdmins   bool       // the list of admins includes deleted admins
	OldLimitType   string     // type of activities about both assignment limits before 2.14; "": admin_assignment_limit_change (trap T85)
	ReadScopesOnly bool       // a scope read_write_… does not include reading

	// Mutate changes the body of a good answer before it is sent; nil: no change. It gets a copy. Tests use it for unknown fields, odd
	// numbers, doubled keys, broken UTF-8 and bombs (traps T120 to T130).
	Mutate func(route string, body []byte) []byte `json:"-"`
}

// ShouldHappen draws whether an optional event happens this time.
func (s Occurrence) ShouldHappen(r *event.RNG) bool {
	turn := r.Chance(0.5)
	return s == Always || s == ByTurns && turn
}

// DeleteListing says whether contacts deleted by DELETE get an entry, with status pending_deletion, in the list of inactive ones.
type DeleteListing string

// Settings of the list of inactive contacts after DELETE.
const (
	ListSome DeleteListing = ""     // three of four
	ListAll  DeleteListing = "all"  // always
	ListNone DeleteListing = "none" // never: only the activity shows it
)

// ShouldList reports whether the contact that was deleted at an index of the log is listed.
func (l DeleteListing) ShouldList(seq int) bool {
	return l == ListAll || l == ListSome && event.MixBits(uint64(seq))%4 != 0
}

// Occurrence says how often an optional event happens.
type Occurrence string

// Values of Occurrence.
const (
	ByTurns Occurrence = "" // half of the time
	Always  Occurrence = "always"
	Never   Occurrence = "never"
)

// HourlyChange returns the share of records that change in a simulated hour.
func (k *Knobs) HourlyChange() float64 {
	if k.ChangeShare == 0 {
		return 1.0 / 600
	}
	return k.ChangeShare
}

// SortMode says how search treats its sort parameter.
type SortMode string

// Values of SortMode (trap T10).
const (
	SortHonoured SortMode = ""
	SortIgnored  SortMode = "ignored"  // in an internal order
	SortShuffled SortMode = "shuffled" // one record in a hundred is out of place
	SortRejected SortMode = "rejected" // anything but ascending answers 400
	SortAny      SortMode = "any"      // by any field with one value, not only by times
)

// InactiveOrder is the order of the list of inactive contacts.
type InactiveOrder string

// Orders of the list of inactive contacts.
const (
	OrderRecent InactiveOrder = ""
	OrderOldest InactiveOrder = "oldest"
	OrderRandom InactiveOrder = "random" // another order in each request: only repeated sweeps find every contact
)

// PageShape is a form that pages or pages.next takes (trap T14).
type PageShape string

// Forms of next before the last page, and of the end of a list.
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

// PageShapes are the forms of next before the last page and at the end.
type PageShapes struct{ Next, End PageShape }

// SegmentCountField returns the name of the field with the number of a segment's members.
func (k *Knobs) SegmentCountField() string {
	if k.SegmentCount != "" {
		return k.SegmentCount
	}
	return "count"
}

// ShapesFor returns the forms of a route.
func (k *Knobs) ShapesFor(route string) PageShapes {
	if s, own := k.ShapesOf[route]; own {
		return s
	}
	return PageShapes{k.NextShape, k.EndShape}
}

// SearchLag is how long changes take to become searchable: evenly up to Max, but up to Tail for TailShare of them.
type SearchLag struct {
	Max       time.Duration
	TailShare float64 // 0 to 1
	Tail      time.Duration
}

// DrawLag draws how long a change takes to become searchable, by the kind of record and whether it is fresh, that is never found before.
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

// partsCap is how many parts an answer contains, the newest (api-notes, Searching and paging).
const partsCap = 500

// MostParts returns how many parts an answer contains.
func (k *Knobs) MostParts() int {
	if k.PartsCap > 0 {
		return k.PartsCap
	}
	return partsCap
}

// Form changes the shape of a value in good answers, as other versions and other workspaces send it. The workspace itself does not change.
type Form struct {
	Of   string // the route, or the part before its dot
	ID   string // id of the record; "": every record
	Path string // path of the value in the record, such as a.b[].c, with {} for any key; with $. in front, in the envelope
	To   string // path to which the value moves; "": it does not move
	As   string // new value: a JSON text, or string, integer, number, boolean, object, array, absent; "": the value itself
}
