package emulator

import "strings"

// ReportRow adds a row to a dataset by hand: its key, its time, and what it says; the rest is null.
func (w *Workspace) ReportRow(dataset, key string, created int64, values map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exports.events = append(w.exports.events, exportEvent{dataset: dataset, key: key, created: created, values: values})
}

// ReportChange lets a row of a dataset say something else from now on.
func (w *Workspace) ReportChange(dataset, key, attribute string, value any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exports.events = append(w.exports.events, exportEvent{dataset: dataset, key: key, attribute: attribute, value: value})
}

// exportEvent is what was done to a dataset by hand: a row that came, or a value that changed.
type exportEvent struct {
	dataset, key string
	created      int64
	values       map[string]any
	attribute    string
	value        any
}

// reports are the streams of the oracle that tell of datasets.
const reports = "reporting_"

// reportTruth gives the rows that a perfect reader holds of a dataset: by attribute, null where there is none.
// It goes through every hour that was lived; what was done by hand comes on top, in its order.
func (w *Workspace) reportTruth(stream string) func(yield func(map[string]any) bool) {
	s := exportSetOf(strings.TrimPrefix(stream, reports))
	if s == nil || !strings.HasPrefix(stream, reports) {
		return nil
	}
	w.mu.Lock()
	events := w.exports.events[:len(w.exports.events):len(w.exports.events)]
	now := exportSpan/3600 + w.hours
	seed, contacts, birth := w.cfg.Seed, w.cfg.Contacts, w.cfg.Start.Unix()
	w.mu.Unlock()
	return func(yield func(map[string]any) bool) {
		var rows []map[string]any
		byKey := map[string]map[string]any{}
		for hour := range now {
			for _, f := range exportFacts(seed, contacts, birth, s, hour) {
				if f.known > now {
					continue
				}
				row := map[string]any{"_time": f.created}
				for _, a := range s.attributes {
					row[a.id] = f.values[a.id]
				}
				for _, c := range f.changes {
					if c.hour <= now {
						row[c.attribute] = c.value
					}
				}
				rows = append(rows, row)
				byKey[f.key] = row
			}
		}
		for _, e := range events {
			switch {
			case e.dataset != s.id:
			case e.attribute != "":
				byKey[e.key][e.attribute] = e.value
			default:
				row := map[string]any{"_time": e.created}
				for _, a := range s.attributes {
					row[a.id] = e.values[a.id]
				}
				rows = append(rows, row)
				byKey[e.key] = row
			}
		}
		for _, row := range rows {
			if !yield(row) {
				return
			}
		}
	}
}
