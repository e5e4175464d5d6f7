package oracle

import (
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// reports is the prefix of streams of datasets.
const reports = "reporting_"

// datasetOf returns the dataset of a stream, nil for other streams.
func datasetOf(stream string) *event.Dataset {
	if id, ok := strings.CutPrefix(stream, reports); ok {
		return event.FindDataset(id)
	}
	return nil
}

// reportRows yields the rows that a perfect reader has of a dataset: by attribute, null where there is no value. It replays every hour since
// the data begins, then the changes by operations in their order.
func reportRows(o *Oracle, s *event.Dataset, yield func(Row) bool) {
	now := event.ReportSpan/3600 + o.terms.Hours
	var rows []Row
	byKey := map[string]Row{}
	add := func(key string, created int64, values map[string]any) Row {
		row := Row{"_time": created}
		for _, a := range s.Attributes {
			row[a.ID] = values[a.ID]
		}
		rows, byKey[key] = append(rows, row), row
		return row
	}
	for hour := range now {
		for _, f := range o.log.Facts.Reports(s, hour) {
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
		groupByRecord(o.log.Conversations, func(opened *event.ThreadEvent, since []*event.ThreadEvent, _ bool) bool {
			if opened.At >= o.log.Start-event.ReportSpan {
				t := replayThread(event.ConversationID(opened.Num), opened, o.log.Facts.Conversation(opened), since)
				add(t.ID, t.created, t.reportRow(o.log.Facts.ConversationReport(t.Num)))
			}
			return true
		})
	}
	for _, e := range o.log.Reports {
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

// reportRow returns the row of a conversation in the dataset of conversations. It follows the parts of the first thirty days. For a
// conversation that an operation or a request began, little else is known. A deletion removes no row.
func (t *replayedThread) reportRow(drawn event.ConversationReport) Row {
	row := Row(drawn.Values)
	if t.Written {
		row = Row{"channel": t.Source.Type, "bot_involved": "false"}
	}
	row["conversation_id"], row["created_at"] = t.ID, jsonNumber(t.created)
	known := *t
	known.parts = nil
	for _, p := range t.parts {
		if p.At-t.created <= 30*event.Day {
			known.parts = append(known.parts, p)
		}
	}
	row["state"] = "open"
	if n := len(known.parts); n > 0 {
		row["state"] = known.parts[n-1].State
	}
	row["user_replied"] = strconv.FormatBool(!t.Silent || known.firstPart(isAsking) != nil)
	row["time_to_first_response"] = nil
	if p := known.firstPart(isReply); p != nil {
		waited := p.At - t.created
		if drawn.Shortened { // by a third, rounded down
			waited -= waited / 3
		}
		row["time_to_first_response"] = jsonNumber(waited)
	}
	return row
}
