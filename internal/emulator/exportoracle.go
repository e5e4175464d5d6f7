package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ReportRow adds a row to a dataset by hand: its key, its time, and what it says; the rest is null.
func (w *Workspace) ReportRow(dataset, key string, created int64, values map[string]any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for attribute := range values {
		if err := hasAttribute(dataset, attribute); err != nil {
			return err
		}
	}
	return w.report(exportEvent{dataset: dataset, key: key, created: created, values: values})
}

// ReportChange lets a row of a dataset say something else from now on.
func (w *Workspace) ReportChange(dataset, key, attribute string, value any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := hasAttribute(dataset, attribute); err != nil {
		return err
	}
	if !w.reported(exportSetOf(dataset), key) {
		return fmt.Errorf("dataset %s has no row %q", dataset, key)
	}
	return w.report(exportEvent{dataset: dataset, key: key, attribute: attribute, value: value})
}

func (w *Workspace) report(e exportEvent) error {
	if exportSetOf(e.dataset) == nil {
		return fmt.Errorf("no dataset %q", e.dataset)
	}
	e.at = w.now()
	w.exports.events = append(w.exports.events, e)
	return nil
}

// reported says whether a dataset has a row by now.
func (w *Workspace) reported(s *exportSet, key string) bool {
	if slices.ContainsFunc(w.exports.events, func(e exportEvent) bool { return e.dataset == s.id && e.key == key }) {
		return true
	}
	now := exportSpan/3600 + w.hours
	known := func(hour int) bool {
		return 0 <= hour && hour < now && slices.ContainsFunc(w.exportHour(s, hour), func(f exportFact) bool { return f.key == key && f.known <= now })
	}
	switch num, there := w.thread(key); {
	case there && int(num) >= w.cfg.Conversations:
		return s == exportSets[0]
	case there:
		return known(int(w.threads[num].now.created-w.cfg.Start.Unix()+exportSpan) / 3600)
	}
	n, err := strconv.ParseInt(key, 10, 64)
	return err == nil && n >= exportKeys && known(int((n-exportKeys)/100))
}

func hasAttribute(dataset, attribute string) error {
	s := exportSetOf(dataset)
	if s == nil || !slices.ContainsFunc(s.attributes, func(a exportAttribute) bool { return a.id == attribute }) {
		return fmt.Errorf("no dataset %q with an attribute %q", dataset, attribute)
	}
	return nil
}

// exportEvent is what was done to a dataset by hand: a row that came, or a value that changed.
type exportEvent struct {
	at           int64
	dataset, key string
	created      int64
	values       map[string]any
	attribute    string
	value        any
}

// reports are the streams of the oracle that tell of datasets.
const reports = "reporting_"

// reportSet is the dataset that a stream of the oracle tells of, nil when it tells of none.
func reportSet(stream string) *exportSet {
	if id, ok := strings.CutPrefix(stream, reports); ok {
		return exportSetOf(id)
	}
	return nil
}

// reportRows gives the rows that a perfect reader holds of a dataset: by attribute, null where there is none.
// It goes through every hour that was lived; what was done by hand comes on top, in its order.
func (o *oracle) reportRows(s *exportSet, yield func(map[string]any) bool) {
	now := exportSpan/3600 + o.hours
	var rows []map[string]any
	byKey := map[string]map[string]any{}
	add := func(key string, created int64, values map[string]any) map[string]any {
		row := map[string]any{"_time": created}
		for _, a := range s.attributes {
			row[a.id] = values[a.id]
		}
		rows, byKey[key] = append(rows, row), row
		return row
	}
	for hour := range now {
		for _, f := range exportFacts(o.seed, o.souls, o.start, s, hour) {
			if f.known > now {
				continue
			}
			row := add(f.key, f.created, f.values)
			for _, c := range f.changes {
				if c.hour <= now {
					row[c.attribute] = c.value
				}
			}
		}
	}
	if s.id == "conversation" {
		allTellings(o.said, func(opened *convEvent, since []*convEvent, _ bool) bool {
			if opened.At >= o.start-exportSpan {
				t := tale(o.conv.birth(opened), opened, since)
				f := talkFact(o.seed, t.conversation, t.parts)
				add(f.key, f.created, f.values)
			}
			return true
		})
	}
	for _, e := range o.facts {
		switch {
		case e.dataset != s.id:
		case e.attribute == "":
			add(e.key, e.created, e.values)
		case byKey[e.key] != nil:
			byKey[e.key][e.attribute] = e.value
		}
	}
	for _, row := range rows {
		if !yield(row) {
			return
		}
	}
}
