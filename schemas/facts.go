package schemas

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// exportDays is the maximum number of days in one export of a dataset (workspace-api 3.1).
const exportDays = 28

// DescribeRead describes the `read` block of the stream's file in words, for the catalogue.
func (s *Stream) DescribeRead() []string {
	r := s.Read
	how := []string{map[string]string{
		"full":     "the full list",
		"search":   "changes since the watermark, by a search on " + r.Since.Field,
		"bookmark": "a feed, from the last cursor",
		"between":  "records between two times of " + r.Since.Field,
		Export:     fmt.Sprintf("datasets that the source exports as files of up to %d days; each is a stream and a table", exportDays),
	}[r.Since.By]}
	if r.Over != nil {
		how = []string{r.Over.describeOver(s.With)}
	}
	if r.Page.Size > 0 {
		how = append(how, fmt.Sprintf("pages of %d, by %s", r.Page.Size, r.Page.By))
	}
	if r.Below != nil {
		how = append(how, "also below each record that may contain others")
	}
	if r.Detail != nil && len(r.Detail.UnlessSame) > 0 {
		how = append(how, "then each record that differs from the stored one, by id: GET "+r.Detail.Path)
	} else if r.Detail != nil {
		how = append(how, "then each record, by id: GET "+r.Detail.Path)
	}
	if s.With != "" {
		how = append(how, "read together with "+s.With)
	}
	return how
}

// DescribeIDs says which ids are requested: those that an SQL file selects. A stream that belongs to another one completes it.
func (o *Over) DescribeIDs(with string) string {
	if with != "" {
		return "ids of " + with + " that no search returned"
	}
	return "ids that " + o.View + " selects"
}

func (o *Over) describeOver(with string) string {
	text := o.DescribeIDs(with)
	switch {
	case len(o.Values) > 0:
		return "the full list for each of " + strings.Join(o.Values, ", ")
	case len(o.Streams) > 0:
		text = "each " + o.Where + " of " + strings.Join(o.Streams, ", ") + " that is new or changed"
	}
	if o.Size > 0 {
		text += fmt.Sprintf(", %d per request", o.Size)
	}
	if len(o.After) > 0 {
		text += ", after " + strings.Join(o.After, ", ")
	}
	return text
}

// DescribeDeletions describes how a deletion at the source is noticed, or that it is not.
func (s *Stream) DescribeDeletions() string {
	r := s.Read
	switch {
	case s.DocumentedNotes.Deletion != "":
		return s.DocumentedNotes.Deletion
	case s.IsExportFamily():
		return "by re-reading"
	case s.Reconcile > 0:
		return "missing from a full-list sweep every " + durationText(s.Reconcile) + ", and 404 by id"
	case s.Absent != "gone":
		return "not detected"
	case r.Over != nil && r.Over.Size > 0:
		return "missing from the answer"
	case r.ByIDs():
		return "404"
	case r.Page.Most > 0:
		return fmt.Sprintf("missing from two full-list sweeps, unless the list is capped at %d", r.Page.Most)
	}
	return "missing from two full-list sweeps"
}

// DescribeLateness describes which changes a run may miss, and after how long a later run finds them.
func (s *Stream) DescribeLateness() string {
	r := s.Read
	if s.DocumentedNotes.Late != "" {
		return s.DocumentedNotes.Late
	}
	if s.IsExportFamily() {
		return "each day is re-read once a day for 35 days (`refresh`)"
	}
	var late []string
	if r.Since.HasWindows() {
		late = append(late, fmt.Sprintf("late records: next run up to %s, lookback up to %s", durationText(r.Since.Lag), durationText(r.Since.Overlap)))
	}
	switch {
	case s.Reconcile > 0 && r.Detail == nil:
		late = append(late, "records that search never returns, and changes that it does not show: "+durationText(s.Reconcile))
	case s.Reconcile > 0:
		late = append(late, "records that search never returns: "+durationText(s.Reconcile))
	}
	if d := r.Detail; d != nil && d.Every > 0 {
		late = append(late, "changes that search does not show: "+rereadText(d.Every, d.For))
	}
	if o := r.Over; o != nil && o.Every > 0 {
		late = append(late, fmt.Sprintf("new records without a change of %s: %s", strings.Join(o.Streams, ", "), rereadText(o.Every, o.For)))
	}
	if len(late) == 0 {
		return "nothing: the next run is complete"
	}
	return strings.Join(late, "; ")
}

// RequestsPerThousand is the number of requests for a thousand records that are read for the first time.
func (s *Stream) RequestsPerThousand() float64 { return 1000 * (s.listRequests() + s.detailRequests()) }

// RequestsPerChange is the number of requests for one changed record; 0: none, because every run reads the whole list.
func (s *Stream) RequestsPerChange() float64 {
	switch {
	case s.Read.ByIDs():
		return s.listRequests()
	case s.IsExportFamily(), s.Read.Since.By == "full":
		return 0
	}
	return s.listRequests() + s.detailRequests()
}

// listRequests is the number of list requests per record, a fraction where a page has many.
func (s *Stream) listRequests() float64 {
	r := s.Read
	switch {
	case r.ByIDs() && r.Over.Size > 0:
		return 1 / float64(r.Over.Size)
	case r.ByIDs():
		return 1
	case r.Page.Size == 0:
		return 0
	}
	return 1 / float64(r.Page.Size)
}

func (s *Stream) detailRequests() float64 {
	if s.Read.Detail == nil {
		return 0
	}
	return 1
}

// documentedColumns is the number of columns with a `doc`, and of all columns, in all of the stream's tables.
func (s *Stream) documentedColumns() (said, all int) {
	count := func(columns []Column) {
		for _, c := range columns {
			all++
			if c.Doc != "" {
				said++
			}
		}
	}
	count(s.Columns)
	for _, c := range s.Children {
		count(c.Columns)
	}
	return said, all
}

// rereadText says how often records are read again, and for how long.
func rereadText(every, span time.Duration) string {
	if span >= tenYears {
		return durationText(every)
	}
	return fmt.Sprintf("%s, for %s after the last change", durationText(every), durationText(span))
}

// tenYears stands for "always" in stream files.
const tenYears = 3650 * 24 * time.Hour

// durationText is a duration as in stream files: 7d, 48h, 15m.
func durationText(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0 && d > 48*time.Hour:
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/time.Minute)) + "m"
}

// PerThousandText is RequestsPerThousand in words.
func (s *Stream) PerThousandText() string {
	switch {
	case s.IsExportFamily():
		return fmt.Sprintf("3 for up to %d days", exportDays)
	case s.Read.Since.By == "between":
		return "a window is halved until one answer holds it"
	case s.RequestsPerThousand() == 0:
		return "1 in all"
	}
	return strconv.Itoa(int(math.Ceil(s.RequestsPerThousand() - 1e-9)))
}

// PerChangeText is RequestsPerChange in words.
func (s *Stream) PerChangeText() string { return FormatPerChange(s.RequestsPerChange()) }

// FormatPerChange writes a number of requests for one changed record: 1, 1 per 150 where a page has 150 of them, or both.
func FormatPerChange(requests float64) string {
	whole := math.Floor(requests + 1e-9)
	rest := requests - whole
	switch {
	case requests == 0:
		return "list"
	case rest < 1e-6:
		return fmt.Sprint(whole)
	case whole == 0:
		return fmt.Sprintf("1 per %.0f", 1/rest)
	}
	return fmt.Sprintf("%.0f, and 1 per %.0f", whole, 1/rest)
}
