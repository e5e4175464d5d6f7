package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
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
	return w.report(event.ReportEvent{Dataset: dataset, Key: key, Created: created, Values: values})
}

// ReportChange lets a row of a dataset say something else from now on.
func (w *Workspace) ReportChange(dataset, key, attribute string, value any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := hasAttribute(dataset, attribute); err != nil {
		return err
	}
	if !w.reported(event.DatasetNamed(dataset), key) {
		return fmt.Errorf("dataset %s has no row %q", dataset, key)
	}
	return w.report(event.ReportEvent{Dataset: dataset, Key: key, Attribute: attribute, Value: value})
}

func (w *Workspace) report(e event.ReportEvent) error {
	if event.DatasetNamed(e.Dataset) == nil {
		return fmt.Errorf("no dataset %q", e.Dataset)
	}
	e.At = w.now()
	w.exports.events = append(w.exports.events, e)
	return nil
}

// reported says whether a dataset has a row by now.
func (w *Workspace) reported(s *event.Dataset, key string) bool {
	if slices.ContainsFunc(w.exports.events, func(e event.ReportEvent) bool { return e.Dataset == s.ID && e.Key == key }) {
		return true
	}
	now := event.ReportSpan/3600 + w.hours
	known := func(hour int) bool {
		return 0 <= hour && hour < now && slices.ContainsFunc(w.exportHour(s, hour), func(f event.ReportFact) bool { return f.Key == key && f.Known <= now })
	}
	switch num, there := w.thread(key); {
	case there && int(num) >= w.cfg.Conversations:
		return s == event.Datasets[0]
	case there:
		return known(int(w.threads[num].now.created-w.cfg.Start.Unix()+event.ReportSpan) / 3600)
	}
	n, err := strconv.ParseInt(key, 10, 64)
	return err == nil && n >= population.ReportKeys && known(int((n-population.ReportKeys)/100))
}

func hasAttribute(dataset, attribute string) error {
	s := event.DatasetNamed(dataset)
	if s == nil || !slices.ContainsFunc(s.Attributes, func(a event.DatasetAttribute) bool { return a.ID == attribute }) {
		return fmt.Errorf("no dataset %q with an attribute %q", dataset, attribute)
	}
	return nil
}

// reports are the streams of the oracle that tell of datasets.
const reports = "reporting_"

// reportSet is the dataset that a stream of the oracle tells of, nil when it tells of none.
func reportSet(stream string) *event.Dataset {
	if id, ok := strings.CutPrefix(stream, reports); ok {
		return event.DatasetNamed(id)
	}
	return nil
}

// reportRows gives the rows that a perfect reader holds of a dataset: by attribute, null where there is none.
// It goes through every hour that was lived; what was done by hand comes on top, in its order.
func (o *oracle) reportRows(s *event.Dataset, yield func(map[string]any) bool) {
	now := event.ReportSpan/3600 + o.hours
	var rows []map[string]any
	byKey := map[string]map[string]any{}
	add := func(key string, created int64, values map[string]any) map[string]any {
		row := map[string]any{"_time": created}
		for _, a := range s.Attributes {
			row[a.ID] = values[a.ID]
		}
		rows, byKey[key] = append(rows, row), row
		return row
	}
	for hour := range now {
		for _, f := range population.ReportFacts(o.seed, o.souls, o.start, s, hour) {
			if f.Known > now {
				continue
			}
			row := add(f.Key, f.Created, f.Values)
			for _, c := range f.Changes {
				if c.Hour <= now {
					row[c.Attribute] = c.Value
				}
			}
		}
	}
	if s.ID == "conversation" {
		allTellings(o.said, func(opened *event.ThreadEvent, since []*event.ThreadEvent, _ bool) bool {
			if opened.At >= o.start-event.ReportSpan {
				t := tale(o.conv.Begin(opened), event.ConversationID(opened.Num), opened, since)
				f := oldTalk(o.seed, t)
				add(f.Key, f.Created, f.Values)
			}
			return true
		})
	}
	for _, e := range o.facts {
		switch {
		case e.Dataset != s.ID:
		case e.Attribute == "":
			add(e.Key, e.Created, e.Values)
		case byKey[e.Key] != nil:
			byKey[e.Key][e.Attribute] = e.Value
		}
	}
	for _, row := range rows {
		if !yield(row) {
			return
		}
	}
}

func oldTalk(seed uint64, t *told) event.ReportFact {
	d := population.DrawTalk(seed, t.Num)
	f := event.ReportFact{Key: t.ID, Created: t.created, Values: d.Values, Silent: t.Silent}
	f.Values["conversation_id"], f.Values["created_at"] = t.ID, strconv.FormatInt(t.created, 10)
	if t.Written {
		for _, name := range []string{"first_teammate", "contact_name", "csat", "subject"} {
			f.Values[name] = nil
		}
		f.Values["channel"], f.Values["bot_involved"] = t.Source.Type, "false"
	}
	state, answered := "open", int64(0)
	for _, p := range t.parts {
		if p.At > t.created+talkSettles {
			continue
		}
		state = p.State
		if isComment(&p) {
			f.Silent = f.Silent && !isAsking(&p)
			if p.Author.Type == "admin" && answered == 0 {
				answered = p.At
			}
		}
	}
	f.Values["state"], f.Values["user_replied"], f.Values["time_to_first_response"] = state, strconv.FormatBool(!f.Silent), nil
	if answered != 0 {
		seconds := answered - t.created
		if d.Shortened {
			seconds -= seconds / 3
		}
		f.Values["time_to_first_response"] = strconv.FormatInt(seconds, 10)
	}
	return f
}
