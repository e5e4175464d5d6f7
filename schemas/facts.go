package schemas

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// exportDays is how many days of a dataset one export may hold (workspace-api 3.1).
const exportDays = 28

// How says in words what the `read` block of the stream's file says.
func (s *Stream) How() []string {
	r := s.Read
	how := []string{map[string]string{
		"full":     "the whole list",
		"search":   "what changed since the mark, by a search on " + r.Since.Field,
		"bookmark": "a feed, from the last cursor on",
		"between":  "what lies between two times of " + r.Since.Field,
		Export:     fmt.Sprintf("datasets that the source exports as files of up to %d days, a stream and a table each", exportDays),
	}[r.Since.By]}
	if r.Over != nil {
		how = []string{r.Over.words()}
	}
	if r.Page.Size > 0 {
		how = append(how, fmt.Sprintf("pages of %d, by %s", r.Page.Size, r.Page.By))
	}
	if r.Below != nil {
		how = append(how, "the same below each record that may hold others")
	}
	if r.Detail != nil && len(r.Detail.UnlessSame) > 0 {
		how = append(how, "each record that is not as stored is then read by itself: GET "+r.Detail.Path)
	} else if r.Detail != nil {
		how = append(how, "each record is then read by itself: GET "+r.Detail.Path)
	}
	if s.With != "" {
		how = append(how, "read along with "+s.With)
	}
	return how
}

func (o *Over) words() string {
	text := "each id that " + o.View + " finds"
	switch {
	case len(o.Values) > 0:
		return "the whole list for each of " + strings.Join(o.Values, ", ")
	case len(o.Streams) > 0:
		text = "each " + o.Where + " of " + strings.Join(o.Streams, ", ") + " that came or changed"
	}
	if o.Size > 0 {
		text += fmt.Sprintf(", %d a request", o.Size)
	}
	if len(o.After) > 0 {
		text += ", after " + strings.Join(o.After, ", ")
	}
	return text
}

// Deletion says how it is noticed that the source has a record no more, or that it is not.
func (s *Stream) Deletion() string {
	r := s.Read
	switch {
	case s.Told.Deletion != "":
		return s.Told.Deletion
	case s.Family():
		return "what is read again has what is there"
	case s.Reconcile > 0:
		return "missing from the whole list, walked each " + days(s.Reconcile) + ", and 404 by id"
	case s.Absent != "gone":
		return "not noticed"
	case r.Over != nil && r.Over.Size > 0:
		return "left out of the answer"
	case r.ByIDs():
		return "404"
	case r.Page.Most > 0:
		return fmt.Sprintf("missing from two whole walks, unless the list stops at its %d", r.Page.Most)
	}
	return "missing from two whole walks"
}

// Late says what a run may not see yet, and after how long a later one does.
func (s *Stream) Late() string {
	r := s.Read
	if s.Told.Late != "" {
		return s.Told.Late
	}
	if s.Family() {
		return "each day is read again once a day for 35 days (`refresh`)"
	}
	var late []string
	if r.Since.Windowed() {
		late = append(late, fmt.Sprintf("what the source finds late: up to %s by the next run, up to %s before the mark by each", days(r.Since.Lag), days(r.Since.Overlap)))
	}
	switch {
	case s.Reconcile > 0 && r.Detail == nil:
		late = append(late, "what it never finds, and what changes without a sign: "+days(s.Reconcile))
	case s.Reconcile > 0:
		late = append(late, "what it never finds: "+days(s.Reconcile))
	}
	if d := r.Detail; d != nil && d.Every > 0 {
		late = append(late, "what changes without a sign: "+again(d.Every, d.For))
	}
	if o := r.Over; o != nil && o.Every > 0 {
		late = append(late, fmt.Sprintf("what comes without a change of %s: %s", strings.Join(o.Streams, ", "), again(o.Every, o.For)))
	}
	if len(late) == 0 {
		return "nothing: the next run has it"
	}
	return strings.Join(late, "; ")
}

// Thousand is how many requests a thousand records take when they are read for the first time.
func (s *Stream) Thousand() float64 { return 1000 * (s.pages() + s.alone()) }

// Change is how many requests it costs that one record has changed. 0: none of its own, the list is read whole anyway.
func (s *Stream) Change() float64 {
	switch {
	case s.Read.ByIDs():
		return s.pages()
	case s.Family(), s.Read.Since.By == "full":
		return 0
	}
	return s.pages() + s.alone()
}

// pages is the share of a request in which a page brings one record.
func (s *Stream) pages() float64 {
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

func (s *Stream) alone() float64 {
	if s.Read.Detail == nil {
		return 0
	}
	return 1
}

// documented is how many columns of all the stream's tables say what they hold, and how many there are.
func (s *Stream) documented() (said, all int) {
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

// again says how often something is read again, and for how long.
func again(every, span time.Duration) string {
	if span >= tenYears {
		return days(every)
	}
	return fmt.Sprintf("%s, for %s after the last change", days(every), days(span))
}

// tenYears stands in stream files for always.
const tenYears = 3650 * 24 * time.Hour

// days is a duration as the stream files have it: 7d, 48h, 15m.
func days(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0 && d > 48*time.Hour:
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/time.Minute)) + "m"
}

// ThousandText is Thousand in words.
func (s *Stream) ThousandText() string {
	switch {
	case s.Family():
		return fmt.Sprintf("3 for up to %d days", exportDays)
	case s.Read.Since.By == "between":
		return "a span is halved until one answer holds it"
	case s.Thousand() == 0:
		return "1 in all"
	}
	return strconv.FormatFloat(s.Thousand(), 'g', 4, 64)
}

// ChangeText is Change in words.
func (s *Stream) ChangeText() string {
	if s.Change() == 0 {
		return "list"
	}
	return strconv.FormatFloat(s.Change(), 'g', 4, 64)
}
