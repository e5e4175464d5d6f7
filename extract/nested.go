package extract

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"

	"golang.org/x/sync/errgroup"

	"aqueduck/schemas"
)

const (
	nestedSize  = 50 // records a page of a nested list: no list's known maximum is below it
	nestedAside = 4  // nested lists read side by side
	nestedCap   = 10 // items of a nested list that is cut without saying so
)

// nestedList is a list inside a record that the API cuts short, and where its whole is.
type nestedList struct {
	from  []string // path of the list
	count []string // path of its true length; nil: not told
	more  []string // path of the flag that there are more
	rest  []string // path of its address
}

func nestedLists(s *schemas.Stream) []nestedList {
	var lists []nestedList
	for _, c := range s.Children {
		if c.Rest == nil || len(c.From) == 0 {
			continue
		}
		beside := c.From[:len(c.From)-1]
		count := c.Count
		if count == nil {
			count = append(beside[:len(beside):len(beside)], "total_count")
		}
		lists = append(lists, nestedList{from: c.From, count: count, more: append(beside[:len(beside):len(beside)], "has_more"), rest: c.Rest})
	}
	return lists
}

// cut reports whether the list in a record is not whole. has_more alone is not to be trusted; and a list of exactly the
// known cap that says nothing about its length may be cut.
func (n nestedList) cut(record []byte) bool {
	got, ok := items(field(record, n.from...))
	if !ok {
		return false
	}
	total := int64(-1)
	if raw := field(record, n.count...); raw != nil {
		total = count(raw)
	}
	more := string(field(record, n.more...))
	return total > int64(got) || more == "true" || got == nestedCap && total < 0 && more != "false"
}

// complete reads the cut lists of a page's records on and puts the whole ones in their place.
func (w *walk) complete(ctx context.Context, records [][]byte) error {
	if len(w.list.rest) == 0 {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(nestedAside)
	for i, record := range records {
		var cut []nestedList
		for _, n := range w.list.rest {
			if n.cut(record) {
				cut = append(cut, n)
			}
		}
		if cut == nil {
			continue
		}
		g.Go(func() (err error) {
			records[i], err = w.fillIn(ctx, record, cut)
			return err
		})
	}
	return g.Wait()
}

// fillIn gives a copy of a record with its cut lists whole.
func (w *walk) fillIn(ctx context.Context, record []byte, cut []nestedList) ([]byte, error) {
	for _, n := range cut {
		whole, err := w.readNested(ctx, record, n)
		if ClassOf(err) == ClassNotFound {
			continue // the record has gone since its page was made: what was sent is what is known of it
		}
		if err != nil {
			return nil, err
		}
		from, to, _ := place(record, n.from...)
		record = bytes.Join([][]byte{record[:from], {'['}, bytes.Join(whole, []byte{','}), {']'}, record[to:]}, nil)
	}
	return record, nil
}

// readNested reads one nested list to its end.
func (w *walk) readNested(ctx context.Context, record []byte, n nestedList) ([][]byte, error) {
	address, ok := text(field(record, n.rest...))
	if !ok || !nestedPath.MatchString(address) {
		return nil, w.wrong(fmt.Errorf("a list is cut short, and %q is no address to read it on from", shorten(address)))
	}
	l := list{
		op: w.list.op, method: "GET", path: address, records: []string{"data", path.Base(address)},
		page: schemas.Page{By: "nested", In: "query", Size: nestedSize},
	}
	var whole [][]byte
	for nested := newWalk(w.c, l, nil); !nested.ended; {
		sh, err := nested.next(ctx)
		if err != nil {
			return nil, err
		}
		whole = append(whole, sh.records...)
	}
	return whole, nil
}

// nestedPath is what the address of a nested list looks like: a path of this API, never a host.
var nestedPath = regexp.MustCompile(`^/[a-z_]{1,64}/[A-Za-z0-9_-]{1,128}/[a-z_]{1,64}$`)

// idPattern is what an id looks like that may become part of a path.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
