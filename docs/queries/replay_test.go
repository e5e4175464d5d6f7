package queries_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// replay has what the stored tables tell of conversations, read once and counted in Go.
type replay struct {
	*analystSession
	asOf      time.Time // the newest moment that the data knows of, by the warehouse's calendar
	talks     []*talk
	survivors map[string]string // of each contact id
}

type talk struct {
	id, channel, state, begunBy, startedAs string
	beginner                               string // id of who began it
	began                                  time.Time
	parts                                  []talkPart
	contacts                               map[string]bool // survivors
}

type talkPart struct {
	at                    time.Time
	kind, state, author   string
	agent, words, opening bool
}

func loadReplay(t *testing.T, s *analystSession) *replay {
	t.Helper()
	r := &replay{analystSession: s, survivors: map[string]string{}}
	r.asOf = r.localTime(s.queryRows("SELECT epoch(" + asOf + ")::BIGINT")[0])
	byID := map[string]*talk{}
	for _, row := range s.queryRows("SELECT id, coalesce(source_type, '<nil>'), state, source_author_type, source_delivered_as, epoch(created_at)::BIGINT, source_author_id FROM conversations") {
		c := strings.Split(row, "|")
		byID[c[0]] = &talk{id: c[0], channel: c[1], state: c[2], begunBy: c[3], startedAs: c[4], began: r.localTime(c[5]), beginner: c[6], contacts: map[string]bool{}}
		r.talks = append(r.talks, byID[c[0]])
	}
	for _, row := range s.queryRows(`SELECT conversation_id, epoch(created_at)::BIGINT, part_type, state, author_type, coalesce(from_ai_agent, false) OR coalesce(is_ai_answer, false), coalesce(text, '') <> '' OR coalesce(redacted, false)
		FROM conversation_parts ORDER BY created_at, length(id), id`) {
		c := strings.Split(row, "|")
		if of := byID[c[0]]; of != nil {
			of.parts = append(of.parts, talkPart{at: r.localTime(c[1]), kind: c[2], state: c[3], author: c[4], agent: c[5] == "true", words: c[6] == "true"})
		}
	}
	for _, row := range s.queryRows("SELECT contact_id, current_contact_id FROM contact_identity") {
		id, survivor, _ := strings.Cut(row, "|")
		r.survivors[id] = survivor
	}
	for _, row := range s.queryRows("SELECT conversation_id, contact_id FROM conversation_contacts") {
		id, contact, _ := strings.Cut(row, "|")
		if of := byID[id]; of != nil {
			of.contacts[r.survivors[contact]] = true
		}
	}
	return r
}

// localTime is the time of a number of seconds, by the warehouse's calendar.
func (r *replay) localTime(seconds string) time.Time {
	r.t.Helper()
	place, err := time.LoadLocation(strings.Trim(zone, "'"))
	must(r.t, err)
	n, err := strconv.ParseInt(seconds, 10, 64)
	must(r.t, err)
	return time.Unix(n, 0).In(place)
}

// daysBack, weeksBack and monthsBack return the first days of the newest periods of the calendar, the running one first.
func (r *replay) daysBack(n int) (all []time.Time) {
	for i := range n {
		all = append(all, time.Date(r.asOf.Year(), r.asOf.Month(), r.asOf.Day()-i, 0, 0, 0, 0, time.UTC))
	}
	return all
}

func (r *replay) weeksBack(n int) (all []time.Time) {
	for i := range n {
		all = append(all, weekOf(r.asOf).AddDate(0, 0, -7*i))
	}
	return all
}

func (r *replay) monthsBack(n int) (all []time.Time) {
	for i := range n {
		all = append(all, time.Date(r.asOf.Year(), r.asOf.Month()-time.Month(i), 1, 0, 0, 0, 0, time.UTC))
	}
	return all
}

func dayOf(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
}

// weekOf is the Monday before a time.
func weekOf(at time.Time) time.Time {
	return dayOf(at).AddDate(0, 0, -(int(at.Weekday())+6)%7)
}

func monthOf(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// conversationsByDay counts by who began the conversation.
func (r *replay) conversationsByDay() (rows []string) {
	ways := []string{"customer_initiated", "operator_initiated", "admin_initiated", "campaigns_initiated", "automated"}
	for _, day := range r.daysBack(30) {
		counts, all := make([]int, len(ways)+1), 0
		for _, c := range r.talks {
			if !dayOf(c.began).Equal(day) {
				continue
			}
			all++
			way := slices.Index(ways, c.startedAs)
			if way < 0 {
				way = len(ways)
			}
			counts[way]++
		}
		rows = append(rows, fmt.Sprint(day, "|", all, "|", strings.Trim(strings.ReplaceAll(fmt.Sprint(counts), " ", "|"), "[]")))
	}
	return rows
}

// callsByWeek takes the call in the middle, or the mean of the two there.
func (r *replay) callsByWeek() (rows []string) {
	type week struct {
		calls, answered, missed int
		minutes                 []float64
	}
	weeks := map[time.Time]*week{}
	for _, row := range r.queryRows("SELECT epoch(initiated_at)::BIGINT, direction, answered_at IS NOT NULL, date_diff('second', answered_at, ended_at) FROM calls") {
		c := strings.Split(row, "|")
		w := weeks[weekOf(r.localTime(c[0]))]
		if w == nil {
			w = &week{}
			weeks[weekOf(r.localTime(c[0]))] = w
		}
		w.calls++
		if c[2] == "true" {
			w.answered++
		} else if c[1] == "inbound" {
			w.missed++
		}
		if seconds, err := strconv.ParseFloat(c[3], 64); err == nil {
			w.minutes = append(w.minutes, seconds/60)
		}
	}
	for _, monday := range r.weeksBack(12) {
		w := weeks[monday]
		if w == nil {
			w = &week{}
		}
		rows = append(rows, fmt.Sprint(monday, "|", w.calls, "|", w.answered, "|", w.missed, "|", middleOf(w.minutes)))
	}
	return rows
}

// middleOf is a median with one decimal, <nil> without values.
func middleOf(values []float64) string {
	if len(values) == 0 {
		return "<nil>"
	}
	slices.Sort(values)
	middle := (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	return fmt.Sprint(roundTenth(middle))
}

func roundTenth(x float64) float64 { return float64(int(x*10+0.5)) / 10 }

// percentOf is a share with one decimal, <nil> of nothing.
func percentOf(part, whole int) string {
	if whole == 0 {
		return "<nil>"
	}
	return fmt.Sprint(roundTenth(100 * float64(part) / float64(whole)))
}

// bornContact is a contact id with the time of its creation, which the record tells or the event, and what it was at first and later.
type bornContact struct {
	role, first, lifecycle string
	born                   time.Time
	became                 bool
}

// beganAsLead is told by the event of creation. Without it, leads are those that are leads, were merged or became users later.
func (c *bornContact) beganAsLead() bool {
	return c.first == "lead" || c.first == "" && (c.role == "lead" || c.lifecycle == "merged" || c.became)
}

func (r *replay) bornContacts() map[string]*bornContact {
	all := map[string]*bornContact{}
	for _, row := range r.queryRows(`SELECT i.contact_id, coalesce(a.role, l.role, ''), i.lifecycle, coalesce(epoch(a.created_at)::BIGINT, 0) FROM contact_identity i
		LEFT JOIN contacts_all a ON a.id = i.contact_id LEFT JOIN contact_lifecycle l ON l.id = i.contact_id`) {
		c := strings.Split(row, "|")
		all[c[0]] = &bornContact{role: c[1], lifecycle: c[2]}
		if c[3] != "0" {
			all[c[0]].born = r.localTime(c[3])
		}
	}
	for _, row := range r.queryRows("SELECT contact_id, event_type, role, epoch(created_at)::BIGINT FROM contact_activities WHERE contact_id IS NOT NULL ORDER BY created_at") {
		c := strings.Split(row, "|")
		of := all[c[0]]
		switch {
		case of == nil:
		case c[1] == "contact.created":
			of.first = c[2]
			if of.born.IsZero() {
				of.born = r.localTime(c[3])
			}
		case c[1] == "contact.role_updated" && c[2] == "user":
			of.became = true
		}
	}
	return all
}

// contactsByWeek counts contact ids in the week of their creation, those that are inactive now too.
func (r *replay) contactsByWeek() (rows []string) {
	all, unlisted := r.bornContacts(), 0
	for _, monday := range r.weeksBack(12) {
		users, leads, inactive := 0, 0, 0
		for _, c := range all {
			switch {
			case c.born.IsZero() || !weekOf(c.born).Equal(monday):
				continue
			case c.beganAsLead():
				leads++
			default:
				users++
			}
			if c.lifecycle != "active" {
				inactive++
			}
		}
		unlisted += inactive
		rows = append(rows, fmt.Sprint(monday, "|", users, "|", leads, "|", users+leads, "|", inactive))
	}
	if unlisted == 0 {
		r.t.Error("no contact of the last twelve weeks is inactive: the test shows nothing")
	}
	return rows
}

// contactsByCohort counts contact ids by their creation.
func (r *replay) contactsByCohort() (rows []string) {
	all := r.bornContacts()
	for _, month := range r.monthsBack(12) {
		n, leads, became, lives := 0, 0, 0, map[string]int{}
		for _, c := range all {
			if c.born.IsZero() || !monthOf(c.born).Equal(month) {
				continue
			}
			n++
			lives[c.lifecycle]++
			if c.beganAsLead() {
				leads++
				if c.role == "user" || c.became {
					became++
				}
			}
		}
		rows = append(rows, fmt.Sprint(month, "|", n, "|", leads, "|", became, "|", lives["active"], "|", lives["archived"], "|", lives["blocked"], "|", lives["merged"], "|",
			lives["deleted"]+lives["permanently_deleted"]+lives["pending_deletion"]))
	}
	return rows
}

// reopened counts how often a conversation was open or snoozed directly after it was closed.
func (c *talk) reopened() (n int) {
	state := ""
	for _, next := range append(slices.Clone(c.parts), talkPart{state: c.state}) {
		if next.state == "" || next.state == "<nil>" {
			continue
		}
		if state == "closed" && (next.state == "open" || next.state == "snoozed") {
			n++
		}
		state = next.state
	}
	return n
}

// firstClose is the time of the first part that closes the conversation, whoever does it.
func (c *talk) firstClose() (at time.Time, closed bool) {
	for _, p := range c.parts {
		if p.kind == "close" {
			return p.at, true
		}
	}
	return at, false
}

func (r *replay) reopensByMonth() (rows []string) {
	for _, month := range r.monthsBack(12) {
		all, closed, again := 0, 0, 0
		for _, c := range r.talks {
			if !monthOf(c.began).Equal(month) {
				continue
			}
			all++
			if _, is := c.firstClose(); is {
				closed++
			}
			if c.reopened() > 0 {
				again++
			}
		}
		rows = append(rows, fmt.Sprint(month, "|", all, "|", closed, "|", again, "|", percentOf(again, closed)))
	}
	return rows
}

// isByContact reports whether the contact wrote the part; a choice of a quick reply is a message, too.
func (p talkPart) isByContact() bool {
	return (p.author == "user" || p.author == "lead") && (p.kind == "comment" || p.kind == "quick_reply" || p.opening)
}

// isAnswer reports whether somebody in charge said something in the part: an admin, or the AI agent under any name.
func (p talkPart) isAnswer() bool {
	withWords := slices.Contains([]string{"assignment", "assign_and_reopen", "close", "open", "snoozed"}, p.kind) && p.words && p.author == "admin" && !p.agent
	return (p.author == "admin" || p.agent) && p.kind == "comment" || withWords
}

// isResolved reports whether a conversation was resolved at the first contact, and whether that is decided already.
func (r *replay) isResolved(c *talk) (yes, decided bool) {
	closed, is := c.firstClose()
	wrote, answered := false, false
	for _, p := range append([]talkPart{{at: c.began, author: c.begunBy, opening: true}}, c.parts...) {
		wrote = wrote || p.isByContact()
		answered = answered || wrote && p.isAnswer()
	}
	if !is || !wrote {
		return false, false
	}
	returned := slices.ContainsFunc(r.talks, func(d *talk) bool {
		after := d.began.Sub(closed)
		return d != c && (d.begunBy == "user" || d.begunBy == "lead") && after > 0 && after <= 7*24*time.Hour && c.contacts[r.survivors[d.beginner]]
	})
	if !answered || returned || c.reopened() > 0 {
		return false, true
	}
	return true, r.asOf.Sub(closed) >= 7*24*time.Hour
}

func (r *replay) resolvedAtFirstContact() (rows []string) {
	type counts struct{ all, decided, resolved int }
	channels := map[string]*counts{}
	for _, c := range r.talks {
		if channels[c.channel] == nil {
			channels[c.channel] = &counts{}
		}
		yes, decided := r.isResolved(c)
		channels[c.channel].all++
		if decided {
			channels[c.channel].decided++
			if yes {
				channels[c.channel].resolved++
			}
		}
	}
	for channel, n := range channels {
		rows = append(rows, fmt.Sprint(channel, "|", n.all, "|", n.decided, "|", n.resolved, "|", percentOf(n.resolved, n.decided)))
	}
	return rows
}
