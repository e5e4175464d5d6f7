package extract

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// Preview is the first page of a stream's list as it came, and what its paging decided. People use it to check that a stream file
// fits its source.
type Preview struct {
	Keys       []string // of the answer, in its order
	List       string   // key of the list; "" when the answer is the record
	Records    []Record
	Total      int64     // total_count, -1 when absent
	ServerTime time.Time // zero when the answer has no date
	Next       string    // in words: where the list continues, or that it ends
	Refused    error     // why a run would fail at this page; nil: it would not
}

// PreviewStream reads the first page of a stream with the page size of its file. A stream that is read by ids is asked for id. Of
// a stream with `detail`, the first few records are read by id.
func PreviewStream(ctx context.Context, c *api.Client, s *schemas.Stream, id string, few int) (Preview, error) {
	l, err := previewList(c, s, id)
	if err != nil {
		return Preview{}, err
	}
	at := Position{Page: pagers[l.page.By].start, Size: l.page.Size}
	found, a, err := l.sendCall(ctx, c, l.callAt(at), l.peek())
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Total: found.Total, ServerTime: a.Date}
	preview.Keys, _ = scan.Members(a.Body)
	if i := slices.IndexFunc(preview.Keys, func(key string) bool { return slices.Contains(l.records, key) }); i >= 0 {
		preview.List = preview.Keys[i]
	}
	for _, raw := range found.Records {
		preview.Records = append(preview.Records, Record{Raw: raw, Over: l.over})
	}
	preview.Next, preview.Refused = describePlace(&l, at, found, c.BaseURL())
	if s.Read.Since.By == "between" {
		preview.Next, preview.Refused = "the last day was requested; a period that exceeds one answer is split", nil
	}
	if s.Read.Detail == nil {
		return preview, nil
	}
	reader := NewReader(c, Request{Stream: s})
	page, err := reader.ReadDetails(ctx, Page{Records: preview.Records[:min(few, len(preview.Records))]}, nil)
	preview.Records = slices.DeleteFunc(page.Records, func(r Record) bool { return r.Gone })
	return preview, err
}

// previewList is the list that PreviewStream asks for: the whole list, the last day of a list between two times, or the list of
// an id.
func previewList(c *api.Client, s *schemas.Stream, id string) (listRequest, error) {
	l := listOf(s, 0)
	l.op, l.nested = "preview "+s.Name, nil
	switch over := s.Read.Over; {
	case over == nil && s.Read.Since.By == "between":
		now := c.LocalNow().Unix()
		return withSpan(l, s.Read.Since.Field, now-24*3600, now), nil
	case over == nil:
		return l, nil
	case id == "" && len(over.Values) > 0:
		return l.forValue(over.As, over.Values[0]), nil
	case !idPattern.MatchString(id):
		return l, fmt.Errorf("preview %s: it is read by id, and %q is not an id", s.Name, api.Shorten(id))
	case over.Size > 0:
		l.ids = map[string][]string{over.As: {id}}
		return l, nil
	}
	return l.forValue(s.Read.Over.As, id), nil
}

// describePlace says in words where a list continues after its first page.
func describePlace(l *listRequest, at Position, e *envelope.Envelope, base *url.URL) (string, error) {
	next, end, err := l.nextPosition(at, int64(len(e.Records)), e, base)
	switch {
	case err != nil:
		return "", err
	case end && e.Pages.Next == envelope.NextNull:
		return "the list ends: `pages.next` is null", nil
	case end:
		return "the list ends: all its stated records were returned", nil
	case next.Token != "":
		return "the next page is found by a cursor in the answer", nil
	}
	return fmt.Sprintf("the next page is page %d", next.Page), nil
}
