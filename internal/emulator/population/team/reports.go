package team

import (
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// channelNames are the channels as the reports name them.
var channelNames = map[string]string{messenger: "Messenger", email: "Email", "whatsapp": "WhatsApp", phone: "Phone", "instagram": "Instagram", "custom_channel": "Custom"}

// ConversationReport returns the reported values of a conversation of hour 0.
func (s *Script) ConversationReport(num int32) event.ConversationReport {
	v := map[string]any{"channel": "Messenger", "first_teammate": nil, "contact_name": nil, "csat": nil, "subject": nil, "bot_involved": "false"}
	if int(num) >= len(s.talks) {
		return event.ConversationReport{Values: v}
	}
	t := s.talks[num]
	b := t.beginning(s.start - settled)
	v["channel"], v["contact_name"], v["bot_involved"] = channelNames[t.channel], b.Contacts[0].Name, strconv.FormatBool(t.ai != nil)
	if b.Title != "" {
		v["subject"] = b.Title
	}
	if i := slices.IndexFunc(b.Parts, func(p event.Part) bool { return isAnswer(&p) }); i >= 0 {
		v["first_teammate"] = b.Parts[i].Author.Name
	}
	if b.Rating != nil && b.Rating.Stars > 0 {
		v["csat"] = map[bool]string{true: "100", false: "0"}[b.Rating.Stars >= 4]
	}
	return event.ConversationReport{Values: v}
}

// ReportFacts returns the rows of one hour: the states of conversations and of teammates. Conversations themselves are reported by their parts.
func (s *Script) ReportFacts(set *event.Dataset, hour int) (facts []event.ReportFact) {
	begin := s.start - event.ReportSpan + int64(hour)*3600
	if begin >= s.start {
		return nil
	}
	s.reported.Do(func() { s.stateSpans, s.statusSpans = s.makeStateSpans(), s.makeStatusSpans() })
	var spans []span
	switch set.ID {
	case "conversation_state":
		spans = s.stateSpans[begin]
	case "admin_status_change":
		spans = s.statusSpans[begin]
	}
	for i, one := range spans {
		if i == 100 {
			break // keys of an hour
		}
		f := event.ReportFact{Key: fmt.Sprint(population.ReportKeys + int64(hour)*100 + int64(i)), Created: one.begin, Known: hour + 1, Values: map[string]any{}}
		for name, value := range one.values {
			f.Values[name] = value
		}
		f.Values[set.Time] = strconv.FormatInt(one.begin, 10)
		if set.ID == "conversation_state" && one.end != 0 {
			f.Changes = []event.ReportChange{{Hour: int((one.end-s.start+event.ReportSpan)/3600) + 1, Attribute: "ended_at", Value: strconv.FormatInt(one.end, 10)},
				{Hour: int((one.end-s.start+event.ReportSpan)/3600) + 1, Attribute: "duration", Value: strconv.FormatInt((one.end-one.begin)/60, 10)}}
		}
		facts = append(facts, f)
	}
	return facts
}

// hourOf returns the beginning of the report's hour of a time.
func (s *Script) hourOf(t int64) int64 {
	begin := s.start - event.ReportSpan
	return begin + (t-begin)/3600*3600
}

// makeStateSpans returns the states of the conversations of hour 0, by the hour in which they began.
func (s *Script) makeStateSpans() map[int64][]span {
	all := map[int64][]span{}
	for _, t := range s.talks {
		state, since := "open", t.at
		add := func(end int64) {
			if h := s.hourOf(since); since >= s.start-event.ReportSpan {
				all[h] = append(all[h], span{since, end, map[string]any{"conversation_id": event.ConversationID(t.Num), "state": state, "ended_at": nil, "duration": nil}})
			}
		}
		for i := range t.parts {
			if p := &t.parts[i]; p.State != state && p.At <= s.start-settled && p.At > since {
				add(p.At)
				state, since = p.State, p.At
			}
		}
		add(0)
	}
	return all
}

// makeStatusSpans returns the changes of the teammates' status, by hour: one for each change of the away mode in the log.
func (s *Script) makeStatusSpans() map[int64][]span {
	all := map[int64][]span{}
	away := make([]bool, len(everyone))
	for _, a := range s.logged {
		if a.Kind != event.AwayModeChanged {
			continue
		}
		away[a.Admin] = !away[a.Admin]
		v := map[string]any{"admin_id": strconv.FormatInt(everyone[a.Admin].ID, 10), "admin_name": everyone[a.Admin].Name, "status": "active", "away_reason": nil}
		if away[a.Admin] {
			v["status"], v["away_reason"] = "away", []string{"Lunch", "Meeting", "Training", "Out of office"}[a.Count%4]
		}
		all[s.hourOf(a.At)] = append(all[s.hourOf(a.At)], span{begin: a.At, values: v})
	}
	return all
}

// Handling returns the pauses and resumptions of a conversation of hour 0: while it is snoozed.
func (s *Script) Handling(num int32) (list []event.HandlingEvent) {
	if int(num) >= len(s.talks) {
		return nil
	}
	t, paused := s.talks[num], false
	by := admins[int(num)%len(admins)]
	for i := range t.parts {
		p := &t.parts[i]
		if p.At > s.start-settled {
			break
		}
		if n := slices.IndexFunc(everyone, func(a event.Admin) bool { return strconv.FormatInt(a.ID, 10) == p.Author.ID }); n >= 0 {
			by = everyone[n]
		}
		if snoozed := p.State == "snoozed"; snoozed != paused {
			e := event.HandlingEvent{Kind: "resumed", After: p.At - t.at, By: by}
			if snoozed {
				e.Kind, e.Reason = "paused", "snoozed"
			}
			list, paused = append(list, e), snoozed
		}
	}
	return list
}

// SideTalks returns the side conversations of a conversation: one in thirty asks another team.
func (s *Script) SideTalks(num int32) []event.SideTalk {
	if num%30 != 7 || int(num) >= len(s.talks) {
		return nil
	}
	id := event.ConversationID(num)
	return []event.SideTalk{{ID: "8" + id, PartID: "1" + id, Body: "<p>Could you have a look at this case?</p>", After: 5400, By: admins[int(num)%len(admins)],
		Files: []event.Attachment{{Name: "case.png", Type: "image/png", Size: 48_211, Width: 640, Height: 480}}}}
}
