package search

import (
	"container/heap"
	"slices"
	"time"

	"aqueduck/internal/emulator/event"
)

// Records describes a kind of record for search. D is one version of a record, which never changes.
type Records[D any] struct {
	Kind    string                       // name of the kind: a cursor of one search is not valid in another
	Fields  map[string]Field[D]          // by the name in queries
	Prefix  string                       // prefix of custom attributes in queries
	Attrs   func(d *D) []event.Attribute // custom attributes
	Usual   int                          // default size of a page
	Lag     uint64                       // stream of randomness for delays
	Count   func() int
	At      func(num int32) *Shown[D]
	HasLeft func(num int32) bool // whether the record left, so that search may not show it
}

// Shown is the state of one record in search.
type Shown[D any] struct {
	Now    *D  // the visible version; nil while search does not return the record
	Before *D  // the previous version, for a stale replica
	From   int // index in the log of the change that Now reflects
}

// Index is the search of one kind of record: orderings of the visible versions, and versions that are not visible yet.
type Index[D any] struct {
	Records[D]
	env       *Env
	quiet     bool // the population is being made: nothing is announced
	orderings map[string]*sortedEntries[D]
	waiting   pendingHeap[D]
	age       int // grows with every change, so that remembered answers are dropped
	answers   map[string][]Entry
	walked    map[int64]string // by page: the cursor that led to it, for loops
}

// sortedEntries has the visible records sorted by one field. Changes are collected and merged in at the next query: one pass over a million
// entries costs less time than a tree would cost memory.
type sortedEntries[D any] struct {
	key   func(num int32, d *D) int64
	list  []Entry // never changed in place, because answers point into it
	left  map[int32]Entry
	fresh map[int32]struct{}
}

// pendingVersion becomes visible at a time. Without a version, the record disappears.
type pendingVersion[D any] struct {
	at  int64
	seq int
	num int32
	doc *D
}

// Init sets up the index of a kind of record. It announces nothing until StartAnnouncing.
func (x *Index[D]) Init(v *Env, of Records[D]) {
	x.env, x.Records, x.quiet = v, of, true
	x.orderings, x.answers, x.walked = map[string]*sortedEntries[D]{}, map[string][]Entry{}, map[int64]string{}
}

// StartAnnouncing ends the making of the population: changes are announced from now on.
func (x *Index[D]) StartAnnouncing() { x.quiet = false }

// Backlog returns the number of changes that are not visible yet.
func (x *Index[D]) Backlog() int { return len(x.waiting) }

// ClearAnswers drops remembered answers.
func (x *Index[D]) ClearAnswers() {
	x.age++
	clear(x.answers)
}

// ClearOrderings drops the orderings too, because keys have changed.
func (x *Index[D]) ClearOrderings() {
	x.ClearAnswers()
	clear(x.orderings)
}

// noteChange notes that a record's visible version is about to change; old is the version until now.
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

// sortedBy returns all visible records in the order of a key. The name identifies the key.
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

// mergeChanges makes a new list: the old one without the entries of changed versions, plus their new entries. Both are sorted, so one pass
// suffices. The old list stays intact for answers that point into it.
func (o *sortedEntries[D]) mergeChanges(at func(num int32) *Shown[D]) {
	left := make([]Entry, 0, len(o.left))
	for _, e := range o.left {
		left = append(left, e)
	}
	added := make([]Entry, 0, len(o.fresh))
	for num := range o.fresh {
		if d := at(num).Now; d != nil {
			added = append(added, Entry{o.key(num, d), num})
		}
	}
	slices.SortFunc(left, compareEntries)
	slices.SortFunc(added, compareEntries)
	list := make([]Entry, 0, len(o.list)+len(added))
	for _, e := range o.list {
		if len(left) > 0 && left[0] == e {
			left = left[1:]
			continue
		}
		for len(added) > 0 && compareEntries(added[0], e) < 0 {
			list = append(list, added[0])
			added = added[1:]
		}
		list = append(list, e)
	}
	o.list = append(list, added...)
	clear(o.left)
	clear(o.fresh)
}

// enqueuePending queues a version until its time.
func (x *Index[D]) enqueuePending(p pendingVersion[D]) { heap.Push(&x.waiting, p) }

// popDue takes the earliest version whose time has come.
func (x *Index[D]) popDue(now int64) (pendingVersion[D], bool) {
	if len(x.waiting) == 0 || x.waiting[0].at > now {
		return pendingVersion[D]{}, false
	}
	return heap.Pop(&x.waiting).(pendingVersion[D]), true
}

// Announce makes a record's newest version visible once the index has caught up. seq is the index of the change in the log, at is its time.
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

// Withdraw removes a record that left from search, at once or with the lag of the knob.
func (x *Index[D]) Withdraw(seq int, at int64, num int32) {
	if lag := x.env.Knobs().LeaveLag; lag > 0 {
		x.enqueuePending(pendingVersion[D]{at: at + int64(lag/time.Second), seq: seq, num: num})
		return
	}
	x.ShowVersion(num, nil)
}

// ReleaseDue makes every version visible whose time has come.
func (x *Index[D]) ReleaseDue(now int64) {
	for {
		p, ok := x.popDue(now)
		if !ok {
			return
		}
		hasLeft := x.HasLeft(p.num)
		switch r := x.At(p.num); {
		case p.doc == nil: // removal of a record, unless it came back meanwhile
			if hasLeft {
				x.ShowVersion(p.num, nil)
			}
		// Delays differ from change to change, so an older version may come due after a newer one, and must not replace it.
		case !hasLeft && p.seq > r.From:
			r.From = p.seq
			x.ShowVersion(p.num, p.doc)
		}
	}
}

// ShowVersion makes a version of a record the visible one; nil hides the record.
func (x *Index[D]) ShowVersion(num int32, d *D) {
	r := x.At(num)
	if r.Now == d {
		return
	}
	x.noteChange(num, r.Now)
	r.Before, r.Now = r.Now, d
}

// pendingHeap is a heap of versions, the earliest first. Equal times come in the order of the log.
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
