package search

import (
	"container/heap"
	"slices"
	"time"

	"aqueduck/internal/emulator/event"
)

// Records is what a kind of record tells of itself to be searched. D is one version of a record, which never changes.
type Records[D any] struct {
	Kind   string                       // its word: a cursor of one search is no good in another
	Fields map[string]Field[D]          // by the name that a question gives
	Prefix string                       // what the names of custom attributes begin with
	Attrs  func(d *D) []event.Attribute // custom attributes
	Usual  int                          // records on a page when the question does not say
	Lag    uint64                       // the stream of randomness that delays are drawn from
	Count  func() int
	At     func(num int32) *Shown[D]
	Gone   func(num int32) bool // it left, and search may not show it
}

// Shown is what search has of one record.
type Shown[D any] struct {
	Now    *D  // as search has it; nil while search does not return it
	Before *D  // as search had it before, for a stale replica
	From   int // place in the log of the change that shown reflects
}

// Index is what search of one kind of record reads: orderings of the versions shown, and versions that are not shown yet.
type Index[D any] struct {
	Records[D]
	env       *Env
	quiet     bool // the population is being made: nothing is announced
	orderings map[string]*sortedEntries[D]
	waiting   pendingHeap[D]
	age       int // grows with every change, so that remembered answers are dropped
	answers   map[string][]Entry
	walked    map[int64]string // the cursor that led to each page, for loops
}

// sortedEntries keeps the records of search sorted by one field. Changes are noted and merged in at the next question: one
// pass over a million entries costs less than a tree would cost in memory.
type sortedEntries[D any] struct {
	key   func(num int32, d *D) int64
	list  []Entry // never changed in place: answers point into it
	left  map[int32]Entry
	fresh map[int32]struct{}
}

// pendingVersion is a version that search will find later; no version means that it will lose the contact.
type pendingVersion[D any] struct {
	at  int64
	seq int
	num int32
	doc *D
}

// Init makes the index of a kind of record. Nothing is announced until it is opened.
func (x *Index[D]) Init(v *Env, of Records[D]) {
	x.env, x.Records, x.quiet = v, of, true
	x.orderings, x.answers, x.walked = map[string]*sortedEntries[D]{}, map[string][]Entry{}, map[int64]string{}
}

// StartAnnouncing ends the making of the population: from now on what changes is announced.
func (x *Index[D]) StartAnnouncing() { x.quiet = false }

// Backlog is how many changes search does not know yet.
func (x *Index[D]) Backlog() int { return len(x.waiting) }

// ClearAnswers drops remembered answers.
func (x *Index[D]) ClearAnswers() {
	x.age++
	clear(x.answers)
}

// ClearOrderings drops the orderings too: keys have changed.
func (x *Index[D]) ClearOrderings() {
	x.ClearAnswers()
	clear(x.orderings)
}

// noteChange notes that a record's version in search is about to change; old is the version until now.
func (x *Index[D]) noteChange(num int32, old *D) {
	x.ClearAnswers()
	for _, o := range x.orderings {
		if _, again := o.fresh[num]; again {
			continue // its entry in the list is noted already
		}
		if old != nil {
			o.left[num] = Entry{o.key(num, old), num}
		}
		o.fresh[num] = struct{}{}
	}
}

// sortedBy gives all records of search in the order of a key; the name tells one key from another.
func (x *Index[D]) sortedBy(name string, key func(num int32, d *D) int64) []Entry {
	o := x.orderings[name]
	if o == nil {
		o = &sortedEntries[D]{key: key, left: map[int32]Entry{}, fresh: map[int32]struct{}{}}
		for num := range int32(x.Count()) {
			if d := x.At(num).Now; d != nil {
				o.list = append(o.list, Entry{key(num, d), num})
			}
		}
		slices.SortFunc(o.list, compareEntries)
		x.orderings[name] = o
		return o.list
	}
	if len(o.fresh) > 0 {
		o.mergeChanges(x.At)
	}
	return o.list
}

// mergeChanges makes a new list of the old one without what left and with what came.
func (o *sortedEntries[D]) mergeChanges(at func(num int32) *Shown[D]) {
	left := make([]Entry, 0, len(o.left))
	for _, e := range o.left {
		left = append(left, e)
	}
	came := make([]Entry, 0, len(o.fresh))
	for num := range o.fresh {
		if d := at(num).Now; d != nil {
			came = append(came, Entry{o.key(num, d), num})
		}
	}
	slices.SortFunc(left, compareEntries)
	slices.SortFunc(came, compareEntries)
	list := make([]Entry, 0, len(o.list)+len(came))
	for _, e := range o.list {
		if len(left) > 0 && left[0] == e {
			left = left[1:]
			continue
		}
		for len(came) > 0 && compareEntries(came[0], e) < 0 {
			list = append(list, came[0])
			came = came[1:]
		}
		list = append(list, e)
	}
	o.list = append(list, came...)
	clear(o.left)
	clear(o.fresh)
}

// enqueuePending has a version wait until its time.
func (x *Index[D]) enqueuePending(p pendingVersion[D]) { heap.Push(&x.waiting, p) }

// popDue takes the earliest version whose time has come.
func (x *Index[D]) popDue(now int64) (pendingVersion[D], bool) {
	if len(x.waiting) == 0 || x.waiting[0].at > now {
		return pendingVersion[D]{}, false
	}
	return heap.Pop(&x.waiting).(pendingVersion[D]), true
}

// Announce lets search find a record's newest version once the index has caught up. seq is the place in the log of the
// change, at its time.
func (x *Index[D]) Announce(seq int, at int64, num int32, d *D) {
	if x.quiet {
		return
	}
	r := x.At(num)
	lag := x.env.Knobs().DrawLag(event.NewRNG(x.env.Seed, x.Lag, uint64(seq)), x.Kind, r.Now == nil && r.Before == nil)
	if lag <= 0 {
		x.At(num).From = seq
		x.ShowVersion(num, d)
		return
	}
	x.enqueuePending(pendingVersion[D]{at: at + int64(lag/time.Second), seq: seq, num: num, doc: d})
}

// Withdraw takes a record that left out of search, at once or when the knob says.
func (x *Index[D]) Withdraw(seq int, at int64, num int32) {
	if lag := x.env.Knobs().LeaveLag; lag > 0 {
		x.enqueuePending(pendingVersion[D]{at: at + int64(lag/time.Second), seq: seq, num: num})
		return
	}
	x.ShowVersion(num, nil)
}

// ReleaseDue lets everything become visible whose time has come.
func (x *Index[D]) ReleaseDue(now int64) {
	for {
		p, ok := x.popDue(now)
		if !ok {
			return
		}
		gone := x.Gone(p.num)
		switch r := x.At(p.num); {
		case p.doc == nil: // it left, and search notices now
			if gone {
				x.ShowVersion(p.num, nil)
			}
		case !gone && p.seq > r.From:
			r.From = p.seq
			x.ShowVersion(p.num, p.doc)
		}
	}
}

// ShowVersion puts a version of a record before the searchers, or none.
func (x *Index[D]) ShowVersion(num int32, d *D) {
	r := x.At(num)
	if r.Now == d {
		return
	}
	x.noteChange(num, r.Now)
	r.Before, r.Now = r.Now, d
}

// pendingHeap is a heap of versions, the earliest first.
type pendingHeap[D any] []pendingVersion[D]

func (h pendingHeap[D]) Len() int { return len(h) }

func (h pendingHeap[D]) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h pendingHeap[D]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *pendingHeap[D]) Push(p any) { *h = append(*h, p.(pendingVersion[D])) }

func (h *pendingHeap[D]) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
