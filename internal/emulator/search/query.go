package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
)

// parsedSearch is a parsed and checked search request.
type parsedSearch[D any] struct {
	matches    matchFunc[D]
	text       string // the query and the sort as sent, compacted: cursors are bound to it
	sort       string
	descending bool
	perPage    int
	after      string
	lo, hi     int64 // the span of the sort field, when the query asks for nothing else
	isSpan     bool
}

// matchFunc reports whether a record matches.
type matchFunc[D any] func(num int32, d *D) bool

// filterNode is a filter or a group of filters.
type filterNode struct {
	Field, Operator string
	Value           json.RawMessage
}

// The limits of workspace-api 8.
const (
	maxDepth   = 2
	maxFilters = 15
)

// queryRules are the settings that the meaning of a query depends on.
type queryRules[D any] struct {
	env   *Env
	of    *Records[D]
	whole bool // times are compared by calendar day of the workspace (up to 2.16)
}

func (x *Index[D]) parseSearch(body []byte, days bool) (*parsedSearch[D], error) {
	parts, err := jsontext.ParseObject(body)
	if err != nil {
		return nil, refuseSearch("the body is no JSON object")
	}
	s := &parsedSearch[D]{sort: "updated_at", perPage: x.Usual}
	if err := x.parseSort(s, parts["sort"]); err != nil {
		return nil, err
	}
	if err := s.parsePagination(parts["pagination"]); err != nil {
		return nil, err
	}
	return s, x.parseQuery(s, parts["query"], days)
}

func (x *Index[D]) parseSort(s *parsedSearch[D], raw json.RawMessage) error {
	var sent *struct {
		Field string `json:"field"`
		Order string `json:"order"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &sent) != nil {
		return refuseSearch("sort is not what it should be")
	}
	if sent != nil {
		s.sort, s.descending = sent.Field, sent.Order == "descending"
		if sent.Order != "ascending" && !s.descending || x.env.Knobs().Sort == knobs.SortRejected && s.descending {
			return refuseSearch("sort order %q is not known", sent.Order)
		}
	}
	f, ok := x.Fields[s.sort]
	if !ok || f.kind == tagField || f.kind != dateField && x.env.Knobs().Sort != knobs.SortAny {
		return refuseSearch("cannot sort by %q", s.sort)
	}
	return nil
}

func (s *parsedSearch[D]) parsePagination(raw json.RawMessage) error {
	var sent struct {
		PerPage *int   `json:"per_page"`
		After   string `json:"starting_after"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &sent) != nil {
		return refuseSearch("pagination is not what it should be")
	}
	if p := sent.PerPage; p != nil {
		if *p < 1 || *p > 150 {
			return refuseSearch("per_page must be between 1 and 150")
		}
		s.perPage = *p
	}
	s.after = sent.After
	return nil
}

func (x *Index[D]) parseQuery(s *parsedSearch[D], raw json.RawMessage, days bool) (err error) {
	if len(raw) == 0 {
		return refuseSearch("query is missing")
	}
	r := queryRules[D]{x.env, &x.Records, days}
	if s.matches, err = r.compileQuery(raw, 0); err != nil {
		return err
	}
	// Every record has these two times. Other fields may be null, and null is in no span.
	if (s.sort == "updated_at" || s.sort == "created_at") && x.env.Knobs().Sort != knobs.SortIgnored && x.env.Knobs().Sort != knobs.SortShuffled {
		s.lo, s.hi, s.isSpan = r.unbrokenSpan(raw, s.sort)
	}
	var text bytes.Buffer
	if err := json.Compact(&text, raw); err != nil {
		return refuseSearch("the query is no JSON: %v", err)
	}
	s.text = x.Kind + fmt.Sprintf("%s|%s|%t|%s|%t", text.Bytes(), s.sort, s.descending, x.env.Zone(), r.whole)
	return nil
}

// compileQuery compiles a query; groups is the depth of its nesting.
func (r queryRules[D]) compileQuery(raw json.RawMessage, groups int) (matchFunc[D], error) {
	n, err := parseNode(raw)
	if err != nil {
		return nil, err
	}
	if n.Operator != "AND" && n.Operator != "OR" {
		return r.compileFilter(n)
	}
	if groups == maxDepth {
		return nil, refuseSearch("filters may be nested %d levels deep", maxDepth)
	}
	var inner []json.RawMessage
	if json.Unmarshal(n.Value, &inner) != nil || len(inner) == 0 {
		return nil, refuseSearch("the value of %s must be a list of filters", n.Operator)
	}
	if len(inner) > maxFilters {
		return nil, refuseSearch("a group may hold %d filters", maxFilters)
	}
	parts := make([]matchFunc[D], len(inner))
	for i, raw := range inner {
		if parts[i], err = r.compileQuery(raw, groups+1); err != nil {
			return nil, err
		}
	}
	all := n.Operator == "AND"
	return func(num int32, d *D) bool {
		for _, m := range parts {
			if m(num, d) != all {
				return !all
			}
		}
		return all
	}, nil
}

func parseNode(raw json.RawMessage) (filterNode, error) {
	parts, err := jsontext.ParseObject(raw)
	n := filterNode{Value: parts["value"]}
	for name, value := range parts {
		switch name {
		case "field":
			err = errors.Join(err, json.Unmarshal(value, &n.Field))
		case "operator":
			err = errors.Join(err, json.Unmarshal(value, &n.Operator))
		case "value":
		default:
			err = errors.Join(err, errors.New("no part "+name))
		}
	}
	if err != nil {
		return n, refuseSearch("a filter is {field, operator, value}, a group {operator, value}")
	}
	return n, nil
}

// unbrokenSpan recognises a query for one unbroken span of the sort field and nothing else, which the ordering answers without looking at the
// records. It returns the ends of the span, the upper one excluded.
func (r queryRules[D]) unbrokenSpan(raw json.RawMessage, field string) (lo, hi int64, ok bool) {
	n, err := parseNode(raw)
	if err != nil || r.env.Knobs().Misday > 0 && r.whole {
		return 0, 0, false
	}
	if n.Operator != "AND" && n.Operator != "OR" {
		var t int64
		if n.Field != field || json.Unmarshal(n.Value, &t) != nil {
			return 0, 0, false
		}
		return r.operatorRange(n.Operator, t)
	}
	var inner []json.RawMessage
	if json.Unmarshal(n.Value, &inner) != nil {
		return 0, 0, false
	}
	for i, raw := range inner {
		a, b, whole := r.unbrokenSpan(raw, field)
		switch {
		case !whole:
			return 0, 0, false
		case i == 0:
			lo, hi = a, b
		case n.Operator == "AND":
			lo, hi = max(lo, a), min(hi, b)
		case a > hi || b < lo:
			return 0, 0, false // a gap between them
		default:
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	return lo, hi, len(inner) > 0
}

// operatorRange returns the times that an operator on a Date field selects: whole days of the workspace up to 2.16 (workspace-api 4.1.5),
// exact seconds later (section 9).
func (r queryRules[D]) operatorRange(operator string, t int64) (lo, hi int64, ok bool) {
	first, next := t, t+1
	if r.whole {
		first, next = event.DayOf(t, r.env.Zone())
	}
	above, below := next, first
	if r.env.Knobs().Inclusive {
		above, below = first, next
	}
	switch operator {
	case "=":
		return first, next, true
	case ">":
		return above, math.MaxInt64, true
	case "<":
		return math.MinInt64 + 1, below, true
	}
	return 0, 0, false
}
