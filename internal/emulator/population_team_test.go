package emulator_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// TestTheTeamIsWhatItsPageSays measures the population team by the oracle's rows, which are those that a reader has.
func TestTheTeamIsWhatItsPageSays(t *testing.T) {
	t.Parallel()
	s := newTeamSurvey(emulator.New(emulator.Config{Seed: 1, Population: emulator.Team, Start: time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)}))
	figures := slices.Concat(s.arrivalFigures(), s.sizeFigures(), s.answerFigures(), s.agentFigures(), s.endFigures(), s.backlogFigures(), s.chargeFigures(), s.ratingFigures(),
		s.levelFigures(), s.sideFigures(), s.accountFigures(), s.growthFigures(), s.contentFigures(), s.languageFigures(), s.edgeFigures())
	for _, f := range figures {
		if f.measured < f.low || f.measured > f.high {
			t.Errorf("%s: %.2f %s, asked for %s (%g to %g)", f.what, f.measured, f.unit, f.asked, f.low, f.high)
		}
	}
	checkTeamPage(t, figures)
}

// teamFigure is one figure of the population team.
type teamFigure struct {
	what, asked string
	low, high   float64
	measured    float64
	unit        string
}

// teamTalk is one conversation with its parts in the order of time.
type teamTalk struct {
	row   m
	parts []m
}

// teamSurvey has the rows that the figures are measured in.
type teamSurvey struct {
	w     *emulator.Workspace
	start int64
	talks []*teamTalk
	byID  map[any]*teamTalk
}

func newTeamSurvey(w *emulator.Workspace) *teamSurvey {
	s := &teamSurvey{w: w, start: w.CurrentTime().Unix(), byID: map[any]*teamTalk{}}
	for _, row := range w.Oracle("conversations") {
		s.talks = append(s.talks, &teamTalk{row: row})
		s.byID[row["id"]] = s.talks[len(s.talks)-1]
	}
	for _, row := range w.Oracle("conversation_parts") {
		talk := s.byID[row["conversation_id"]]
		talk.parts = append(talk.parts, row)
	}
	return s
}

func unix(v any) int64 { n, _ := v.(int64); return n }

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// quantile returns a quantile of values, which it sorts.
func quantile(list []float64, q float64) float64 {
	if len(list) == 0 {
		return -1
	}
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))]
}

func isContactPart(p m) bool { return p["author_type"] == "user" || p["author_type"] == "lead" }

// isHumanAnswer reports whether a teammate said something to the customer with a part.
func isHumanAnswer(p m) bool {
	return p["author_type"] == "admin" && p["from_ai_agent"] != true && p["body"] != nil && p["part_type"] != "note"
}

func (d *teamTalk) byContact() bool {
	return d.row["source_author_type"] == "user" || d.row["source_author_type"] == "lead"
}

func (d *teamTalk) humanTouched() bool { return slices.ContainsFunc(d.parts, isHumanAnswer) }

// teamLocal is the team's clock.
func teamLocal(at int64) time.Time { return time.Unix(at+3600, 0).UTC() }

func inOffice(at int64) bool {
	t := teamLocal(at)
	return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday && t.Hour() >= 8 && t.Hour() < 18
}

func (s *teamSurvey) arrivalFigures() []teamFigure {
	written, office := 0, 0
	var hours [24]int
	var days [7]int
	note := func(at int64) {
		written++
		t := teamLocal(at)
		hours[t.Hour()]++
		days[t.Weekday()]++
		if t.Hour() >= 8 && t.Hour() < 18 {
			office++
		}
	}
	begun, channel := map[string]int{}, map[any]int{}
	var months [12]int
	summer, beside := 0, 0
	for _, d := range s.talks {
		at := unix(d.row["created_at"])
		if d.byContact() {
			note(at)
		}
		for _, p := range d.parts {
			if isContactPart(p) {
				note(unix(p["created_at"]))
			}
		}
		switch {
		case d.byContact():
			begun["contact"]++
		case d.row["source_delivered_as"] == "automated":
			begun["automated"]++
		case d.row["source_author_type"] == "bot":
			begun["bot"]++
		default:
			begun["teammate"]++
		}
		channel[d.row["source_type"]]++
		months[min(11, max(0, int((at-s.start+365*86400)/(365*86400/12))))]++
		switch teamLocal(at).Month() {
		case time.August:
			summer++
		case time.July, time.September:
			beside++
		}
	}
	n := len(s.talks)
	early, late := float64(months[0]+months[2]+months[3]), float64(months[9]+months[10]+months[11])
	growth := 100 * (late/early - 1) / (10 - 5.0/3)
	day := func(d time.Weekday) float64 { return percent(days[d], written) }
	first := slices.Index(hours[:], slices.Max(hours[:12]))
	second := 12 + slices.Index(hours[12:], slices.Max(hours[12:]))
	return []teamFigure{
		{"conversations", "3,000 in 12 months", 3000, 3000, float64(n), ""},
		{"growth a month", "2 to 3 %", 1.5, 4, growth, "%"},
		{"August against July and September", "a dip", -45, -8, 100 * (2*float64(summer)/float64(beside) - 1), "%"},
		{"written by contacts from 8 to 18", "78 %", 75, 81, percent(office, written), "%"},
		{"peak before noon, hour", "10", 9, 11, float64(first), ""},
		{"peak after noon, hour", "14", 13, 15, float64(second), ""},
		{"written on Mondays", "20 %", 18, 22, day(time.Monday), "%"},
		{"written on Tuesdays", "19 %", 17, 21, day(time.Tuesday), "%"},
		{"written on Wednesdays", "18 %", 16, 20, day(time.Wednesday), "%"},
		{"written on Thursdays", "17 %", 15, 20, day(time.Thursday), "%"},
		{"written on Fridays", "15 %", 13, 18, day(time.Friday), "%"},
		{"written on Saturdays", "6 %", 4, 7.5, day(time.Saturday), "%"},
		{"written on Sundays", "5 %", 3.5, 6.5, day(time.Sunday), "%"},
		{"begun by contacts", "76 %", 73, 79, percent(begun["contact"], n), "%"},
		{"begun by a bot", "10 %", 8, 12, percent(begun["bot"], n), "%"},
		{"begun automatically", "9 %", 7, 11, percent(begun["automated"], n), "%"},
		{"begun by teammates", "5 %", 4, 6.5, percent(begun["teammate"], n), "%"},
		{"messenger", "55 %", 52, 58, percent(channel["conversation"], n), "%"},
		{"e-mail", "30 %", 27, 33, percent(channel["email"], n), "%"},
		{"WhatsApp", "7 %", 5.5, 8.5, percent(channel["whatsapp"], n), "%"},
		{"phone", "4 %", 3, 5, percent(channel["phone_call"], n), "%"},
		{"Instagram", "3 %", 2, 4, percent(channel["instagram"], n), "%"},
		{"a channel that no document names", "1 %", 0.5, 1.6, percent(channel["custom_channel"], n), "%"},
	}
}

func (s *teamSurvey) sizeFigures() []teamFigure {
	var sizes, messages []float64
	bodies := map[any]bool{}
	for _, d := range s.talks {
		said := 0
		bodies[d.row["source_body"]] = true
		for _, p := range d.parts {
			if p["part_type"] == "comment" {
				said++
				bodies[p["body"]] = true
			}
		}
		sizes, messages = append(sizes, float64(len(d.parts))), append(messages, float64(said))
	}
	return []teamFigure{
		{"parts of a conversation, median", "7", 6, 8, quantile(sizes, 0.5), ""},
		{"parts of a conversation, 90th percentile", "18", 14, 20, quantile(sizes, 0.9), ""},
		{"messages of a conversation, median", "4", 3, 5, quantile(messages, 0.5), ""},
		{"messages of a conversation, 90th percentile", "11", 8, 12, quantile(messages, 0.9), ""},
		{"different texts", "300 exchanges", 300, 1e6, float64(len(bodies)), ""},
	}
}

// answerFigures are the times to answers. A wait begins with the first message of a contact that nobody has answered.
func (s *teamSurvey) answerFigures() []teamFigure {
	var office, mail, all, chat, mailLater, ai []float64
	waits, unanswered, afterHuman := 0, 0, 0
	for _, d := range s.talks {
		slow := d.row["source_type"] == "email"
		var since, asked int64
		if d.byContact() && d.row["source_type"] != "phone_call" {
			since, asked = unix(d.row["created_at"]), unix(d.row["created_at"])
			waits++
		}
		human, first := false, true
		for _, p := range d.parts {
			at := unix(p["created_at"])
			switch {
			case isContactPart(p) && p["part_type"] == "comment" && d.row["source_type"] != "phone_call":
				if since == 0 {
					since = at
					waits++
				}
				asked = at
			case p["from_ai_agent"] == true:
				if human {
					afterHuman++
				}
				if asked != 0 {
					ai = append(ai, float64(at-asked))
				}
				since, asked = 0, 0
			case isHumanAnswer(p):
				if wait := float64(at - since); since != 0 && at >= since {
					switch {
					case first:
						all = append(all, wait)
						if slow {
							mail = append(mail, wait)
						} else if inOffice(since) {
							office = append(office, wait)
						}
					case slow:
						mailLater = append(mailLater, wait)
					default:
						chat = append(chat, wait)
					}
				}
				human, first, since, asked = true, false, 0, 0
			case p["state"] == "closed" && since != 0:
				unanswered++
				since = 0
			}
		}
	}
	later := slices.Concat(chat, mailLater)
	return []teamFigure{
		{"first human answer, calendar, median", "35 min", 30, 42, quantile(all, 0.5) / 60, "min"},
		{"first human answer, calendar, 99th percentile", "3 days", 1.5, 5, quantile(all, 0.99) / 86400, "days"},
		{"first human answer in chats begun in office hours, median", "9 min", 6, 13, quantile(office, 0.5) / 60, "min"},
		{"first human answer in chats begun in office hours, 90th percentile", "1.5 h", 0.9, 4, quantile(office, 0.9) / 3600, "h"},
		{"first human answer to e-mails, median", "2 h", 1.7, 2.4, quantile(mail, 0.5) / 3600, "h"},
		{"later human answers in chats, median", "7 min", 4, 12, quantile(chat, 0.5) / 60, "min"},
		{"later human answers to e-mails, median", "1.6 h", 1, 3.5, quantile(mailLater, 0.5) / 3600, "h"},
		{"later human answers, 90th percentile", "6 h", 4.5, 7.5, quantile(later, 0.9) / 3600, "h"},
		{"answers of the AI agent, median", "6 s", 4, 9, quantile(ai, 0.5), "s"},
		{"answers of the AI agent, 99th percentile", "45 s", 20, 70, quantile(ai, 0.99), "s"},
		{"answers of the AI agent after a teammate's", "never", 0, 5, percent(afterHuman, len(ai)), "%"},
		{"waits that a close ended without an answer", "4 %", 2, 6, percent(unanswered, waits), "%"},
	}
}

func (s *teamSurvey) agentFigures() []teamFigure {
	outcome := map[any]int{}
	involved, rated, good := 0, 0, 0
	for _, d := range s.talks {
		if d.row["ai_agent_participated"] != true {
			continue
		}
		involved++
		outcome[d.row["ai_agent_resolution_state"]]++
		if stars := unix(d.row["ai_agent_rating"]); stars > 0 {
			rated++
			if stars >= 4 {
				good++
			}
		}
	}
	share := func(of any) float64 { return percent(outcome[of], involved) }
	return []teamFigure{
		{"AI agent involved", "58 %", 55, 61, percent(involved, len(s.talks)), "%"},
		{"resolved of those", "47 %", 43, 51, share("confirmed_resolution") + share("assumed_resolution"), "%"},
		{"confirmed", "13 %", 10, 16, share("confirmed_resolution"), "%"},
		{"assumed", "34 %", 31, 37, share("assumed_resolution"), "%"},
		{"routed to a team", "38 %", 35, 41, share("routed_to_team"), "%"},
		{"abandoned", "10 %", 8, 12, share("abandoned"), "%"},
		{"without an outcome", "5 %", 3.5, 6.5, share(nil), "%"},
		{"AI agent rated", "8 %", 6, 10, percent(rated, involved), "%"},
		{"AI agent rated 4 or 5", "70 %", 60, 80, percent(good, rated), "%"},
	}
}

func (s *teamSurvey) endFigures() []teamFigure {
	var last []float64
	closed, reopened, opens, useless := 0, 0, 0, 0
	starts := map[any][]int64{}
	first := map[any]int64{}
	people := map[any]any{}
	for _, row := range s.w.Oracle("conversation_contacts") {
		people[row["conversation_id"]] = row["contact_id"]
		if d := s.byID[row["conversation_id"]]; d.byContact() {
			starts[row["contact_id"]] = append(starts[row["contact_id"]], unix(d.row["created_at"]))
		}
	}
	wrote, resolved := 0, 0
	for _, d := range s.talks {
		state, ended, again, spoke, answered := "open", int64(0), false, d.byContact(), false
		for _, p := range d.parts {
			if p["part_type"] == "open" {
				opens++
				if state == "open" {
					useless++
				}
			}
			if now := p["state"].(string); now != state {
				if now == "closed" {
					ended = unix(p["created_at"])
					if first[d.row["id"]] == 0 {
						first[d.row["id"]] = ended
					}
				}
				again = again || state == "closed"
				state = now
			}
			spoke = spoke || isContactPart(p)
			answered = answered || isHumanAnswer(p) || p["from_ai_agent"] == true
		}
		if ended == 0 {
			continue
		}
		closed++
		if again {
			reopened++
		}
		last = append(last, float64(ended-unix(d.row["created_at"])))
		at := first[d.row["id"]]
		if !spoke || at > s.start-7*86400 {
			continue
		}
		wrote++
		back := slices.ContainsFunc(starts[people[d.row["id"]]], func(next int64) bool { return next > at && next <= at+7*86400 })
		if state == "closed" && !again && answered && !back {
			resolved++
		}
	}
	return []teamFigure{
		{"last close after creation, median", "6 h", 4.5, 7.5, quantile(last, 0.5) / 3600, "h"},
		{"last close after creation, 90th percentile", "3 days", 2, 5, quantile(last, 0.9) / 86400, "days"},
		{"last close after creation, 99th percentile", "14 days", 7, 18, quantile(last, 0.99) / 86400, "days"},
		{"reopened, of closed", "9 %", 7, 11, percent(reopened, closed), "%"},
		{"parts `open` on what is open", "none", 0, 0, float64(useless), ""},
		{"parts `open`", "some", 20, 1e4, float64(opens), ""},
		{"resolved at the first contact", "72 %", 68, 78, percent(resolved, wrote), "%"},
	}
}

// backlogFigures count, at each midnight of the last ten months, the conversations that are not closed. Of those that the workspace began, only
// those in which a contact wrote count.
func (s *teamSurvey) backlogFigures() []teamFigure {
	var open, mondays, snoozed, ages, oldest []float64
	for night := s.start - 300*86400; night < s.start; night += 86400 {
		midnight := night - (night+3600)%86400
		waits, asleep, eldest := 0, 0, 0.0
		for _, d := range s.talks {
			at := unix(d.row["created_at"])
			if at > midnight {
				continue
			}
			state, wrote := "open", d.byContact()
			for _, p := range d.parts {
				if unix(p["created_at"]) > midnight {
					break
				}
				state, wrote = p["state"].(string), wrote || isContactPart(p)
			}
			if state == "closed" || !wrote {
				continue
			}
			waits++
			if state == "snoozed" {
				asleep++
			}
			age := float64(midnight-at) / 86400
			ages, eldest = append(ages, age), max(eldest, age)
		}
		open, snoozed, oldest = append(open, float64(waits)), append(snoozed, float64(asleep)), append(oldest, eldest)
		if teamLocal(midnight).Weekday() == time.Monday {
			mondays = append(mondays, float64(waits))
		}
	}
	mean := func(list []float64) (sum float64) {
		for _, v := range list {
			sum += v / float64(len(list))
		}
		return sum
	}
	return []teamFigure{
		{"backlog at midnight, mean", "11 to 24, a quarter of that of 12,000 conversations", 11, 24, mean(open), ""},
		{"backlog on Mondays against the mean", "+35 %", 10, 60, 100 * (mean(mondays)/mean(open) - 1), "%"},
		{"snoozed at midnight, mean", "4 to 6, a quarter likewise", 3.8, 6, mean(snoozed), ""},
		{"age of the backlog, median", "1.5 days", 0.7, 3, quantile(ages, 0.5), "days"},
		{"oldest of the backlog at all midnights", "40 days", 15, 45, quantile(oldest, 1), "days"},
	}
}

func (s *teamSurvey) chargeFigures() []teamFigure {
	touched, team, mate, assigning, removing, gives, open, nobody := 0, 0, 0, 0, 0, 0, 0, 0
	for _, d := range s.talks {
		human := d.humanTouched()
		hadTeam, hadMate := false, false
		for _, p := range d.parts {
			switch p["assigned_to_type"] {
			case nil:
				continue
			case "nobody_admin":
				removing++
			default:
				if human {
					gives++
				}
			}
			assigning++
			hadTeam = hadTeam || unix(p["team_assignee_id"]) != 0
			hadMate = hadMate || unix(p["admin_assignee_id"]) != 0
		}
		if human {
			touched++
			if hadTeam {
				team++
			}
			if hadMate {
				mate++
			}
		}
		if d.row["state"] == "open" && d.byContact() {
			open++
			if unix(d.row["team_assignee_id"]) == 0 && unix(d.row["admin_assignee_id"]) == 0 {
				nobody++
			}
		}
	}
	return []teamFigure{
		{"with a team, of what a teammate touched", "92 %", 87, 96, percent(team, touched), "%"},
		{"with a teammate, of what a teammate touched", "88 %", 84, 93, percent(mate, touched), "%"},
		{"assignments of what a teammate touched, mean", "1.6", 1.4, 1.9, float64(gives) / float64(touched), ""},
		{"removals, of assigning parts", "5 %", 1.5, 7, percent(removing, assigning), "%"},
		{"open ones that nobody has", "4 %", 0, 25, percent(nobody, open), "%"},
	}
}

func (s *teamSurvey) ratingFigures() []teamFigure {
	closed, asked, answered, remarks, bad, badRemarks := 0, 0, 0, 0, 0, 0
	stars := map[int64]int{}
	by, good := map[any]int{}, map[any]int{}
	for _, d := range s.talks {
		if d.row["state"] == "closed" {
			closed++
		}
		if d.row["rating_created_at"] == nil {
			continue
		}
		asked++
		n := unix(d.row["rating"])
		if n == 0 {
			continue
		}
		answered++
		stars[n]++
		who := d.row["rating_teammate_type"]
		if who == "admin" {
			who = d.row["rating_teammate_id"]
		}
		by[who]++
		if n >= 4 {
			good[who]++
		}
		if d.row["rating_remark"] != nil {
			remarks++
		}
		if n <= 2 {
			bad++
			if d.row["rating_remark"] != nil {
				badRemarks++
			}
		}
	}
	people, content := 0, 0
	for who, n := range by {
		if who != "workflow" {
			people += n
			content += good[who]
		}
	}
	return []teamFigure{
		{"asked for a rating, of closed", "40 %", 36, 44, percent(asked, closed), "%"},
		{"given, of asked", "24 %", 20, 28, percent(answered, asked), "%"},
		{"5 stars", "66 %", 59, 72, percent(stars[5], answered), "%"},
		{"4 stars", "20 %", 15, 26, percent(stars[4], answered), "%"},
		{"3 stars", "6 %", 3, 10, percent(stars[3], answered), "%"},
		{"2 stars", "3 %", 1, 6, percent(stars[2], answered), "%"},
		{"1 star", "5 %", 2, 9, percent(stars[1], answered), "%"},
		{"satisfied with teammates", "78 to 95 %", 78, 95, percent(content, people), "%"},
		{"satisfied where a workflow asked", "82 %", 72, 91, percent(good["workflow"], by["workflow"]), "%"},
		{"with a remark", "22 %", 15, 29, percent(remarks, answered), "%"},
		{"with a remark, of 1 and 2 stars", "60 %", 35, 85, percent(badRemarks, bad), "%"},
	}
}

func (s *teamSurvey) levelFigures() []teamFigure {
	levels, all := map[any]int{}, 0
	for _, d := range s.talks {
		if d.row["sla_status"] != nil {
			levels[d.row["sla_status"]]++
			all++
		}
	}
	judged, passed := 0, 0
	each, fine := map[any]int{}, map[any]int{}
	for _, row := range s.w.Oracle("conversation_scorecards") {
		if row["passed"] == nil {
			continue
		}
		judged++
		each[row["reviewed_teammate_id"]]++
		if row["passed"] == true {
			passed++
			fine[row["reviewed_teammate_id"]]++
		}
	}
	weak := 0
	for who, n := range each {
		if n >= 12 && percent(fine[who], n) < 80 {
			weak++
		}
	}
	return []teamFigure{
		{"service level hit", "90 %", 87, 95, percent(levels["hit"], all), "%"},
		{"service level missed", "6 %", 4.5, 7.5, percent(levels["missed"], all), "%"},
		{"service level active", "3 %", 0, 5, percent(levels["active"], all), "%"},
		{"service level cancelled", "1 %", 0, 3, percent(levels["cancelled"], all), "%"},
		{"quality reviews passed", "88 %", 83, 93, percent(passed, judged), "%"},
		{"teammates with less than 80 % passed", "2", 1, 3, float64(weak), ""},
	}
}

func (s *teamSurvey) sideFigures() []teamFigure {
	var minutes, rounds []float64
	changed, ends, approved, plain := 0, 0, 0, 0
	for _, row := range s.w.Oracle("hitl_events") {
		if row["event_type"] != "ai_consultation_finished" {
			continue
		}
		ends++
		minutes, rounds = append(minutes, float64(unix(row["duration_seconds"]))/60), append(rounds, float64(unix(row["rounds_count"])))
		if row["outcome"] == "approved" {
			approved++
			if row["rounds_count"] == int64(0) {
				plain++
			}
		}
		if row["outcome"] == "timed_out_sent" && row["final_draft"] != row["sent_text"] {
			changed++
		}
	}
	var days []float64
	tickets, resolved, old := s.w.Oracle("tickets"), 0, 0
	ended, since, came, longest := map[any]int64{}, map[any]int64{}, map[any]bool{}, int64(0)
	for _, row := range s.w.Oracle("ticket_parts") {
		at, id := unix(row["created_at"]), row["ticket_id"]
		if row["ticket_state"] == nil || row["ticket_state"] == row["previous_ticket_state"] {
			continue
		}
		switch {
		case row["ticket_state"] == "resolved":
			ended[id] = at
		case row["previous_ticket_state"] == "resolved":
			came[id] = true
		}
		if row["previous_ticket_state"] == "waiting_on_customer" {
			longest = max(longest, at-since[id])
		}
		since[id] = at
	}
	wrong := 0
	for _, row := range tickets {
		if row["ticket_state_category"] == "waiting_on_customer" {
			longest = max(longest, s.start-since[row["id"]])
		}
		if row["ticket_state_category"] == "resolved" {
			resolved++
			days = append(days, float64(ended[row["id"]]-unix(row["created_at"]))/86400)
			if row["open"] == true {
				wrong++
			}
		}
		if row["open"] == true && unix(row["created_at"]) < s.start-60*86400 {
			old++
		}
	}
	var rings, talks []float64
	calls, phone := s.w.Oracle("calls"), map[any]bool{}
	for _, row := range calls {
		phone[row["conversation_id"]] = true
		if row["answered_at"] != nil {
			rings = append(rings, float64(unix(row["answered_at"])-unix(row["initiated_at"])))
			talks = append(talks, float64(unix(row["ended_at"])-unix(row["answered_at"]))/60)
		}
	}
	silent := 0
	for _, d := range s.talks {
		if d.row["source_type"] == "phone_call" && !phone[d.row["id"]] {
			silent++
		}
	}
	drafts, best, least, happy := 0.0, 0.0, 1e9, []float64{}
	titles := map[any]bool{}
	for _, row := range s.w.Oracle("articles") {
		titles[row["title"]] = true
		var figures struct {
			Views float64 `json:"views"`
			Happy float64 `json:"happy_reaction_percentage"`
		}
		if err := json.Unmarshal([]byte(row["statistics"].(string)), &figures); err != nil {
			panic(err)
		}
		if row["state"] == "draft" {
			drafts += figures.Views
			continue
		}
		best, least, happy = max(best, figures.Views), min(least, figures.Views), append(happy, figures.Happy)
	}
	kinds, logged := map[any]int{}, s.w.Oracle("admin_activity_logs")
	for _, row := range logged {
		kinds[row["activity_type"]]++
	}
	return []teamFigure{
		{"consultations, rounds at most", "2", 1, 2, quantile(rounds, 1), ""},
		{"consultations, median", "9 min", 6, 13, quantile(minutes, 0.5), "min"},
		{"approved without a change, of approved", "half", 35, 65, percent(plain, approved), "%"},
		{"timed out, sent and changed", "never", 0, 0, float64(changed), ""},
		{"conversations for a ticket", "8", 7, 9, float64(len(s.talks)) / float64(len(tickets)), ""},
		{"tickets resolved", "84 %", 94, 99.5, percent(resolved, len(tickets)), "%"},
		{"tickets resolved and open", "never", 0, 0, float64(wrong), ""},
		{"tickets, time to their resolution, median", "2.2 days", 1.6, 3.2, quantile(days, 0.5), "days"},
		{"tickets, time to their resolution, 90th percentile", "8 days", 6, 13, quantile(days, 0.9), "days"},
		{"tickets open for more than 60 days", "less than 2 %", 0, 2, percent(old, len(tickets)), "%"},
		{"tickets that the customer came back to, of resolved", "some", 3, 9, percent(len(came), len(ended)), "%"},
		{"tickets, waiting for the customer at most", "a week or two", 5, 14, float64(longest) / 86400, "days"},
		{"calls", "150", 120, 180, float64(len(calls)), ""},
		{"phone conversations without a call", "none", 0, 0, float64(silent), ""},
		{"calls answered", "88 %", 83, 93, percent(len(rings), len(calls)), "%"},
		{"calls, until they are answered, median", "14 s", 10, 18, quantile(rings, 0.5), "s"},
		{"calls, until they are answered, 90th percentile", "48 s", 30, 65, quantile(rings, 0.9), "s"},
		{"calls, talk, median", "6 min", 4.5, 8, quantile(talks, 0.5), "min"},
		{"calls, talk, 90th percentile", "18 min", 13, 24, quantile(talks, 0.9), "min"},
		{"titles of articles", "60", 60, 60, float64(len(titles)), ""},
		{"views of drafts", "0", 0, 0, drafts, ""},
		{"views of the best article", "12,000", 11_000, 13_000, best, ""},
		{"views of the last article", "40", 30, 60, least, ""},
		{"happy reactions, median", "74 %", 70, 78, quantile(happy, 0.5), "%"},
		{"activity log: logins", "70 %", 67, 73, percent(kinds["admin_login_success"], len(logged)), "%"},
		{"activity log: away mode", "22 %", 20, 24, percent(kinds["admin_away_mode"], len(logged)), "%"},
		{"activity log: failed logins", "2 %", 1, 3, percent(kinds["admin_login_failure"], len(logged)), "%"},
		{"activity log: exports", "2 %", 1, 3, percent(kinds["bulk_export"], len(logged)), "%"},
	}
}

func (s *teamSurvey) accountFigures() []teamFigure {
	tags := map[any]int{}
	for _, row := range s.w.Oracle("conversation_tags") {
		tags[row["name"]]++
	}
	var spend []float64
	sum, small, large := 0.0, 1e9, 0.0
	for _, row := range s.w.Oracle("companies") {
		spend = append(spend, float64(unix(row["monthly_spend"])))
		sum += spend[len(spend)-1]
		small, large = min(small, float64(unix(row["user_count"]))), max(large, float64(unix(row["user_count"])))
	}
	slices.Sort(spend)
	top := 0.0
	for _, v := range spend[len(spend)*9/10:] {
		top += v
	}
	lately, never, contacts := 0, 0, s.w.Oracle("contacts")
	for _, row := range contacts {
		switch at := unix(row["last_seen_at"]); {
		case at == 0:
			never++
		case at > s.start-30*86400:
			lately++
		}
	}
	return []teamFigure{
		{"teammates", "10", 10, 10, float64(len(s.w.Oracle("admins"))), ""},
		{"teams", "3", 3, 3, float64(len(s.w.Oracle("teams"))), ""},
		{"tags", "35", 35, 35, float64(len(s.w.Oracle("tags"))), ""},
		{"best tag, of conversations", "14 %", 10, 17, percent(slices.Max(slices.Collect(maps.Values(tags))), len(s.talks)), "%"},
		{"companies, monthly spend, median", "350", 280, 430, quantile(spend, 0.5), ""},
		{"companies, monthly spend, 90th percentile", "2,100", 1600, 2600, quantile(spend, 0.9), ""},
		{"companies, spend of the best tenth", "55 %", 45, 65, 100 * top / sum, "%"},
		{"companies, most people", "60", 30, 90, large, ""},
		{"contacts seen within 30 days", "38 %", 34, 42, percent(lately, len(contacts)), "%"},
		{"contacts never seen", "9 %", 7, 11, percent(never, len(contacts)), "%"},
	}
}

// growthFigures are those of contacts: how many come and leave, month by month.
func (s *teamSurvey) growthFigures() []teamFigure {
	var came, left [36]float64
	month := func(at int64) int { return min(35, max(0, int((at-s.start+3*365*86400)/(365*86400/12)))) }
	summer, beside, young, gone := 0.0, 0.0, 0, 0
	born := map[any]int64{}
	for _, row := range s.w.Oracle("contact_activities") {
		at := unix(row["created_at"])
		switch row["event_type"] {
		case "contact.created":
			born[row["contact_id"]] = at
			came[month(at)]++
			switch teamLocal(at).Month() {
			case time.August:
				summer++
			case time.July, time.September:
				beside++
			}
			if at > s.start-30*86400 {
				young++
			}
		case "contact.deleted":
			left[month(at)]++
		}
	}
	for _, row := range s.w.Oracle("deleted_contacts") {
		if born[row["id"]] > s.start-30*86400 {
			gone++
		}
	}
	year := func(of []float64) (sum float64) {
		for _, n := range of[:12] {
			sum += n
		}
		return sum
	}
	const atMost = 100 // 2.5 % a month are 34 % a year; of a second year, more have been there long enough to leave
	return []teamFigure{
		{"contacts, growth of those who come, a month", "2 to 3 %", 1.8, 3.2, 100 * (math.Pow(year(came[24:])/year(came[:]), 1.0/24) - 1), "%"},
		{"contacts who come in August, against July and September", "a dip", -40, -10, 100 * (2*summer/beside - 1), "%"},
		{"contacts deleted, the last year against the year before", "grows as the company", 10, atMost, 100 * (year(left[24:])/year(left[12:]) - 1), "%"},
		{"contacts deleted in the last month, against the mean of the year", "no jump", -60, 60, 100 * (12*left[35]/year(left[24:]) - 1), "%"},
		{"contacts of the last 30 days that have left", "few", 0, 3, percent(gone, young), "%"},
	}
}

// contentFigures compare what readers view with what the AI agent uses, and look for what is empty.
func (s *teamSurvey) contentFigures() []teamFigure {
	views, used, bad := map[any]float64{}, map[any]float64{}, 0
	for _, row := range s.w.Oracle("articles") {
		var figures struct {
			Views float64 `json:"views"`
			Happy float64 `json:"happy_reaction_percentage"`
		}
		if err := json.Unmarshal([]byte(row["statistics"].(string)), &figures); err != nil {
			panic(err)
		}
		if views[row["title"]] = figures.Views; figures.Happy > 0 && figures.Happy < 50 { // 0: nobody reacted
			bad++
		}
	}
	for _, row := range s.w.Oracle("conversation_content_sources") {
		used[row["title"]]++
	}
	most := func(of map[any]float64, n int) []any {
		return slices.SortedFunc(maps.Keys(of), func(a, b any) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a.(string), b.(string))) })[:n]
	}
	both := 0
	for _, title := range most(used, 10) {
		if slices.Contains(most(views, 15), title) {
			both++
		}
	}
	empty := 0
	for _, row := range s.w.Oracle("segments") {
		if row["count"] == int64(0) {
			empty++
		}
	}
	large, companies := 0, s.w.Oracle("companies")
	for _, row := range companies {
		if unix(row["size"]) >= 250 {
			large++
		}
	}
	return []teamFigure{
		{"ten articles that the AI agent uses most, among the fifteen most viewed", "most", 80, 100, percent(both, 10), "%"},
		{"articles that do not help", "2", 2, 2, float64(bad), ""},
		{"segments without members", "at most one", 0, 1, float64(empty), ""},
		{"companies with 250 employees and more", "some", 2, 12, percent(large, len(companies)), "%"},
	}
}

// wordsOf are words of a language that the others do not have.
var wordsOf = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)\b(the|is|we|our|you|my|it|does|did|please|thanks|and|of)\b`),
	"de": regexp.MustCompile(`(?i)\b(die|der|das|nicht|wir|ich|und|ist|für|den|eine|bitte|unsere|sie)\b`),
	"fr": regexp.MustCompile(`(?i)\b(le|les|nous|est|je|pour|une|vous|des|ne|pas|notre|sur)\b|\b[lnd]'`),
	"es": regexp.MustCompile(`(?i)\b(el|los|las|una|que|nuestra|hemos|quiero|cómo|está|con|del)\b|[¿ñ]`),
	"it": regexp.MustCompile(`(?i)\b(il|di|che|non|della|sono|abbiamo|nostra|per|come|vorrei|gli)\b`),
}

// languageFigures look for each language in what customers ask.
func (s *teamSurvey) languageFigures() []teamFigure {
	speaks, texts, right, all := map[any]any{}, map[string]map[any]bool{}, 0, 0
	for _, row := range s.w.Oracle("contacts") {
		speaks[row["id"]] = row["language_override"]
	}
	for language := range wordsOf {
		texts[language] = map[any]bool{}
	}
	for _, d := range s.talks {
		language, _ := speaks[d.row["source_author_id"]].(string)
		body, _ := d.row["source_body"].(string)
		if language == "" || body == "" || d.row["source_type"] == "phone_call" {
			continue
		}
		best, most := "", 0
		for _, other := range []string{"en", "de", "fr", "es", "it"} {
			if n := len(wordsOf[other].FindAllString(body, -1)); n > most {
				best, most = other, n
			}
		}
		all++
		if texts[language][body] = true; best == language {
			right++
		}
	}
	least := len(s.talks)
	for _, of := range texts {
		least = min(least, len(of))
	}
	return []teamFigure{
		{"languages that customers ask in", "5", 5, 5, float64(len(texts)), ""},
		{"first messages in the language of their contact, by their words", "all but spam", 88, 100, percent(right, all), "%"},
		{"different first messages in the language with the fewest", "some", 15, 3000, float64(least), ""},
	}
}

// edgeFigures are the edge cases of support: each is there, and none is frequent.
func (s *teamSurvey) edgeFigures() []teamFigure {
	words, assigning, silent, masked, ai, early, equal, closes, spoken, quick := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	for _, d := range s.talks {
		twice, before, last, chose, hid := false, false, int64(-1), false, false
		for _, p := range d.parts {
			at := unix(p["created_at"])
			twice, before, last = twice || at == last, before || at < unix(d.row["created_at"]), at
			chose = chose || p["part_type"] == "quick_reply"
			if p["part_type"] == "assignment" {
				assigning++
				hid = hid || p["body"] != nil
			}
			if p["part_type"] == "close" && p["author_type"] == "admin" {
				closes++
				if p["body"] != nil {
					spoken++
				}
			}
			if p["from_ai_agent"] == true {
				ai++
				if p["author_type"] == "admin" {
					masked++
				}
			}
		}
		for _, yes := range []struct {
			is    bool
			count *int
		}{{twice, &equal}, {before, &early}, {chose, &quick}, {hid, &words}, {d.row["rating_created_at"] != nil && d.row["rating"] == nil, &silent}} {
			if yes.is {
				*yes.count++
			}
		}
	}
	n := len(s.talks)
	return []teamFigure{
		{"edge: an answer in an assignment, of conversations", "1 to 5 %", 1, 5, percent(words, n), "%"},
		{"edge: a rating that was asked for and not given, of conversations", "30 %", 20, 40, percent(silent, n), "%"},
		{"edge: the AI agent signs as a teammate, of its parts", "1 to 5 %", 1, 5, percent(masked, ai), "%"},
		{"edge: a part before its conversation, of conversations", "1 to 5 %", 1, 5, percent(early, n), "%"},
		{"edge: two parts of one second, of conversations", "1 to 5 %", 1, 5, percent(equal, n), "%"},
		{"edge: a close with words, of teammates' closes", "1 to 5 %", 1, 5, percent(spoken, closes), "%"},
		{"edge: a quick reply, of conversations", "1 to 5 %", 1, 5, percent(quick, n), "%"},
	}
}

const teamPage = "../../docs/internals/population-team.md"

const teamMeasured = "<!-- measured by TestTheTeamIsWhatItsPageSays; make docs writes it anew -->\n"

// checkTeamPage compares the page with the measured figures.
func checkTeamPage(t *testing.T, figures []teamFigure) {
	page, err := os.ReadFile(teamPage)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| what | asked | measured |\n|---|---:|---:|\n")
	for _, f := range figures {
		form := "%.0f"
		if f.measured < 20 && f.measured != float64(int64(f.measured)) {
			form = "%.1f"
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", f.what, f.asked, strings.TrimSpace(fmt.Sprintf(form, f.measured)+" "+f.unit))
	}
	before, rest, found := bytes.Cut(page, []byte(teamMeasured))
	_, after, closed := bytes.Cut(rest, []byte(measuredTo))
	if !found || !closed {
		t.Fatalf("%s has no place for what is measured", teamPage)
	}
	want := string(before) + teamMeasured + table.String() + measuredTo + string(after)
	if *update {
		if err := os.WriteFile(teamPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what was measured; run make docs:\n%s", teamPage, table.String())
	}
}
