package emulator

import "strings"

// ReportRow adds a row to a dataset by hand: its key, its time, and what it says; the rest is null.
func (w *Workspace) ReportRow(dataset, key string, created int64, values map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exports.events = append(w.exports.events, exportEvent{at: w.now(), dataset: dataset, key: key, created: created, values: values})
}

// ReportChange lets a row of a dataset say something else from now on.
func (w *Workspace) ReportChange(dataset, key, attribute string, value any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exports.events = append(w.exports.events, exportEvent{at: w.now(), dataset: dataset, key: key, attribute: attribute, value: value})
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
