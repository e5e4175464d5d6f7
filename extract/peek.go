package extract

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"aqueduck/extract/api"
	"aqueduck/schemas"
)

// FirstRecord reads the first record of the stream's list, and the server's time of the answer. The record is nil when the list
// is empty.
func FirstRecord(ctx context.Context, c *api.Client, s *schemas.Stream) (record []byte, serverTime time.Time, err error) {
	sh, err := peekList(ctx, c, s)
	if err != nil {
		return nil, time.Time{}, err
	}
	if len(sh.Records) > 0 {
		record = bytes.Clone(sh.Records[0])
	}
	return record, sh.date, nil
}

// CountRecords is the total_count of the stream's list; -1 when the list has none.
func CountRecords(ctx context.Context, c *api.Client, s *schemas.Stream) (total int64, err error) {
	sh, err := peekList(ctx, c, s)
	if err != nil {
		return -1, err
	}
	if s.Read.Over != nil {
		return -1, nil // the count is of one list of several
	}
	return sh.Total, nil
}

// MeasureList is CountRecords, with the time of the first record: the oldest one of a searched stream. It is zero when the record
// has none.
func MeasureList(ctx context.Context, c *api.Client, s *schemas.Stream) (total int64, oldest time.Time, err error) {
	sh, err := peekList(ctx, c, s)
	if err != nil || len(sh.Records) == 0 {
		return -1, time.Time{}, err
	}
	if at, ok := RecordTime(s, sh.Records[0]); ok {
		oldest = time.Unix(at, 0)
	}
	return sh.Total, oldest, nil
}

// peekList reads the first page of a stream's whole list, with the smallest page size.
func peekList(ctx context.Context, c *api.Client, s *schemas.Stream) (listPage, error) {
	if s.Read.ByIDs() {
		return listPage{}, fmt.Errorf("count %s: it has no list, it is read by id", s.Name)
	}
	l := listsOf(s)[0]
	l.op = "request " + s.Name
	if s.Read.Since.By == "between" {
		now := c.LocalNow().Unix()
		return readSpan(ctx, c, l, s.Read.Since.Field, now-24*3600, now, 0)
	}
	if l.page.Size > 0 {
		l.page.Size = 1
	}
	l.nested = nil
	return newWalk(c, l, nil).readFirstPage(ctx)
}
