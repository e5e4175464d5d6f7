package exports

import (
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// ReportRow adds a row to a dataset: its key, its time, and its values; the other values are null.
func (w *Exports) ReportRow(dataset, key string, created int64, values map[string]any) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for attribute := range values {
		if err := hasAttribute(dataset, attribute); err != nil {
			return err
		}
	}
	return w.logReportEvent(event.ReportEvent{Dataset: dataset, Key: key, Created: created, Values: values})
}

// ReportChange changes a value of a row of a dataset from now on.
func (w *Exports) ReportChange(dataset, key, attribute string, value any) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if err := hasAttribute(dataset, attribute); err != nil {
		return err
	}
	if !w.hasRow(event.FindDataset(dataset), key) {
		return fmt.Errorf("dataset %s has no row %q", dataset, key)
	}
	return w.logReportEvent(event.ReportEvent{Dataset: dataset, Key: key, Attribute: attribute, Value: value})
}

func (w *Exports) logReportEvent(e event.ReportEvent) error {
	if event.FindDataset(e.Dataset) == nil {
		return fmt.Errorf("no dataset %q", e.Dataset)
	}
	e.At = w.UnixNow()
	w.ReportEvents = append(w.ReportEvents, e)
	return nil
}

// hasRow reports whether a dataset has a row by now.
func (w *Exports) hasRow(s *event.Dataset, key string) bool {
	if slices.ContainsFunc(w.ReportEvents, func(e event.ReportEvent) bool { return e.Dataset == s.ID && e.Key == key }) {
		return true
	}
	now := event.ReportSpan/3600 + w.HoursLived
	known := func(hour int) bool {
		return 0 <= hour && hour < now && slices.ContainsFunc(w.exportHour(s, hour), func(f event.ReportFact) bool { return f.Key == key && f.Known <= now })
	}
	switch num, there := w.Conversations.FindThread(key); {
	case there && int(num) >= w.Setup.Conversations:
		return s == event.Datasets[0]
	case there:
		return known(int(w.Conversations.Threads[num].Newest.Created-w.Setup.Start.Unix()+event.ReportSpan) / 3600)
	}
	n, err := strconv.ParseInt(key, 10, 64)
	return err == nil && n >= population.ReportKeys && known(int((n-population.ReportKeys)/100))
}

func hasAttribute(dataset, attribute string) error {
	s := event.FindDataset(dataset)
	if s == nil || !slices.ContainsFunc(s.Attributes, func(a event.DatasetAttribute) bool { return a.ID == attribute }) {
		return fmt.Errorf("no dataset %q with an attribute %q", dataset, attribute)
	}
	return nil
}
