package emulator

import (
	"cmp"
	"container/heap"
	"slices"
)

// entry is a contact's place in an ordering.
type entry struct {
	key int64
	num int32
}

func compareEntries(a, b entry) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return cmp.Compare(a.num, b.num)
}

// index is what search reads: orderings of the versions shown, and versions that are not shown yet.
type index struct {
	quiet     bool // the population is being made: nothing is announced
	orderings map[string]*ordering
	waiting   waiting
	age       int // grows with every change, so that remembered answers are dropped
	answers   map[string][]entry
}

// ordering keeps the contacts of search sorted by one field. Changes are noted and merged in at the next question: one
// pass over a million entries costs less than a tree would cost in memory.
type ordering struct {
	key   func(num int32, d *doc) int64
	list  []entry // never changed in place: answers point into it
	left  map[int32]entry
	fresh map[int32]struct{}
}

// pending is a version that search will find later; no version means that it will lose the contact.
type pending struct {
	at  int64
	seq int
	num int32
	doc *doc
}

func (x *index) init() {
	x.quiet = true
	x.orderings, x.answers = map[string]*ordering{}, map[string][]entry{}
}

// forget drops remembered answers.
func (x *index) forget() {
	x.age++
	clear(x.answers)
}

// moved notes that a contact's version in search is about to change; old is the version until now.
func (x *index) moved(num int32, old *doc) {
	x.forget()
	for _, o := range x.orderings {
		if _, again := o.fresh[num]; again {
			continue // its entry in the list is noted already
		}
		if old != nil {
			o.left[num] = entry{o.key(num, old), num}
		}
		o.fresh[num] = struct{}{}
	}
}

// ordered gives all contacts of search in the order of a key; the name tells one key from another.
func (w *Workspace) ordered(name string, key func(num int32, d *doc) int64) []entry {
	o := w.idx.orderings[name]
	if o == nil {
		o = &ordering{key: key, left: map[int32]entry{}, fresh: map[int32]struct{}{}}
		for num := range w.contacts {
			if d := w.contacts[num].shown; d != nil {
				o.list = append(o.list, entry{key(int32(num), d), int32(num)})
			}
		}
		slices.SortFunc(o.list, compareEntries)
		w.idx.orderings[name] = o
		return o.list
	}
	if len(o.fresh) > 0 {
		o.merge(w.contacts)
	}
	return o.list
}

// merge makes a new list of the old one without what left and with what came.
func (o *ordering) merge(contacts []contact) {
	left := make([]entry, 0, len(o.left))
	for _, e := range o.left {
		left = append(left, e)
	}
	came := make([]entry, 0, len(o.fresh))
	for num := range o.fresh {
		if d := contacts[num].shown; d != nil {
			came = append(came, entry{o.key(num, d), num})
		}
	}
	slices.SortFunc(left, compareEntries)
	slices.SortFunc(came, compareEntries)
	list := make([]entry, 0, len(o.list)+len(came))
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

// later has a version wait until its time.
func (x *index) later(p pending) { heap.Push(&x.waiting, p) }

// due takes the earliest version whose time has come.
func (x *index) due(now int64) (pending, bool) {
	if len(x.waiting) == 0 || x.waiting[0].at > now {
		return pending{}, false
	}
	return heap.Pop(&x.waiting).(pending), true
}

// waiting is a heap of versions, the earliest first.
type waiting []pending

func (h waiting) Len() int { return len(h) }
func (h waiting) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h waiting) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *waiting) Push(p any)   { *h = append(*h, p.(pending)) }
func (h *waiting) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
