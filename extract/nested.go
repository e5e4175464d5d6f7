package extract

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

const (
	nestedSize = 50 // records per page of a nested list; every documented maximum is at least 50
)

// FindTruncated tells what a record has only the newest of, by the record's own count: the name of what is cut, the table of the
// nested list ("" where the cap is not of one), the number of items sent, and the record's count. All are zero when nothing
// is cut.
func FindTruncated(s *schemas.Stream, record []byte) (what, table string, sent, of int64) {
	if s.Capped.Most > 0 {
		if count := scan.Count(scan.Field(record, s.Capped.Count...)); count > s.Capped.Most {
			list, _ := cappedList(s)
			return s.Capped.Of, list.Table, s.Capped.Most, count
		}
		return "", "", 0, 0
	}
	var partial []schemas.Child
	var heads []string // the first keys of the paths of their lists and counts: one walk over the record finds all
	for _, c := range s.Children {
		if !c.Complete && c.Count != nil && c.Within == "" {
			partial, heads = append(partial, c), append(heads, c.From[0], c.Count[0])
		}
	}
	if partial == nil {
		return "", "", 0, 0
	}
	found := make([][]byte, len(heads))
	scan.Fields(record, heads, found)
	for i, c := range partial {
		count := scan.Field(found[2*i+1], c.Count[1:]...)
		got, ok := scan.CountItems(found[2*i], c.From[1:]...)
		if ok && count != nil && scan.Count(count) > int64(got) {
			return "parts", c.Table, int64(got), scan.Count(count)
		}
	}
	return "", "", 0, 0
}

// countUnread counts the records of a page with a nested list that cannot be read. Too many of them are a failure of the source.
func (w *listWalk) countUnread(unread []error) error {
	for _, one := range unread {
		if one == nil {
			continue
		}
		if w.unreadRecords++; w.unreadRecords > mostAsideRecords {
			return one
		}
	}
	return nil
}

// fillIn returns a copy of a record with complete nested lists. A list that cannot be read is removed from the record: the stored
// rows of it stay. A 404 means that the record disappeared after its page was made; the record counts as short, because it may
// come back without a new time.
func (w *listWalk) fillIn(ctx context.Context, record []byte, cut []envelope.NestedList) (filled []byte, short string, unread, err error) {
	for _, n := range cut {
		whole, err := w.readNested(ctx, record, n)
		if api.ClassOf(err) == api.ClassNotFound {
			address, _ := scan.Text(scan.Field(record, n.Rest...))
			short = nestedPath.FindStringSubmatch(address)[1]
		} else if ctx.Err() == nil && IsRecordError(err) {
			unread = err
		} else if err != nil {
			return nil, "", nil, err
		}
		if err != nil {
			if record, err = scan.Without(record, n.From...); err != nil {
				return nil, "", nil, err
			}
			continue
		}
		from, to, _ := scan.Locate(record, n.From...)
		record = bytes.Join([][]byte{record[:from], {'['}, bytes.Join(whole, []byte{','}), {']'}, record[to:]}, nil)
	}
	return record, short, unread, nil
}

// readNested reads one nested list to its end.
func (w *listWalk) readNested(ctx context.Context, record []byte, n envelope.NestedList) ([][]byte, error) {
	address, ok := scan.Text(scan.Field(record, n.Rest...))
	if !ok || !nestedPath.MatchString(address) {
		return nil, w.contractError(fmt.Errorf("a list is incomplete, and %q is not an address of its next page", api.Shorten(address)))
	}
	l := listRequest{
		op: w.list.op, method: "GET", path: address, records: []string{"data", path.Base(address)}, key: []string{"id"},
		page: schemas.Page{By: "nested", In: "query", Size: nestedSize},
	}
	var whole [][]byte
	for nested := newWalk(w.c, l, nil); !nested.ended; {
		sh, err := nested.nextPage(ctx)
		if api.ClassOf(err) == api.ClassCursor {
			return nil, nested.contractError(err) // a lost cursor of the nested list must not restart the outer list
		}
		if err != nil {
			return nil, err
		}
		whole = append(whole, sh.Records...)
		if sh.missingRows > 0 {
			return nil, nested.shortError(sh.missingRows)
		}
	}
	return whole, nil
}

// nestedPath is the form of a nested list's address: a path of this API, never another host.
var nestedPath = regexp.MustCompile(`^/[a-z_]{1,64}/([A-Za-z0-9_-]{1,128})/[a-z_]{1,64}$`)
