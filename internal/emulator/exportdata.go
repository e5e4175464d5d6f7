package emulator

import (
	"fmt"
	"strconv"
)

// forExport is the stream of randomness of the reporting data.
const forExport = 1000

// forTalk comes after it for rows of conversations, in the place of a dataset's number.
const forTalk = 1000

// exportSpan is how far back the reporting data goes.
const exportSpan = 365 * day

// exportSet is one dataset of the reporting data.
type exportSet struct {
	number        uint64
	id, name, doc string
	time          string // id of the attribute that rows are asked by
	attributes    []exportAttribute
}

// exportAttribute is one column: its id, the id with its dataset where there is one, and the header, which may repeat.
type exportAttribute struct{ id, qualified, name string }

// exportFact is one row as it was drawn: what it says at first, and what it says from a later hour on.
type exportFact struct {
	key     string
	created int64
	known   int // the hour from which the source has the row at all
	values  map[string]any
	changes []exportChange
	silent  bool // a conversation that nobody answered: versions up to 2.16 do not export it (trap T108)
}

// exportChange is a value that is another one from an hour on.
type exportChange struct {
	hour      int
	attribute string
	value     any
}

// exportSets are the datasets of every workspace. Two headers of the first are the same, as they are in the field, and
// some hold what no identifier may.
var exportSets = []*exportSet{
	{number: 1, id: "conversation", name: "Conversations", doc: "One row a conversation, by the time it was created.", time: "created_at",
		attributes: []exportAttribute{
			{"conversation_id", "conversation.conversation_id", "Conversation ID"}, {"created_at", "conversation.created_at", "Created at"},
			{"channel", "", "Channel"}, {"first_teammate", "teammate.name", "Name"}, {"contact_name", "contact.name", "Name"},
			{"time_to_first_response", "", "Time to first response (seconds)"}, {"csat", "", "CSAT score, %"},
			{"state", "", "Current state"}, {"subject", "", "Subject"}, {"bot_involved", "", "AI agent involved?"}, {"user_replied", "", "User replied"},
		}},
	{number: 2, id: "admin_status_change", name: "Teammate status changes", doc: "One row a change of a teammate's status.", time: "changed_at",
		attributes: []exportAttribute{
			{"admin_id", "admin.id", "Teammate ID"}, {"admin_name", "admin.name", "Teammate"}, {"changed_at", "", "Status changed at"},
			{"status", "", "Status"}, {"away_reason", "", "Away reason"},
		}},
	{number: 3, id: "conversation_state", name: "Conversation states", doc: "One row a state that a conversation was in.", time: "started_at",
		attributes: []exportAttribute{
			{"conversation_id", "conversation.conversation_id", "Conversation ID"}, {"state", "", "State"}, {"started_at", "", "Started at"},
			{"ended_at", "", "Ended at"}, {"duration", "", "Duration (minutes)"},
		}},
}

// exportDraws draw what a row says, by its dataset.
var exportDraws = map[string]func(r *rng, f *exportFact){
	"conversation": drawConversation, "admin_status_change": drawStatus, "conversation_state": drawState}

func exportSetOf(id string) *exportSet {
	for _, s := range exportSets {
		if s.id == id {
			return s
		}
	}
	return nil
}

// exportKeys is where the keys of rows begin: a hundred for each hour.
const exportKeys = 200_000_000_000

// exportRate is how many rows of a dataset an hour has.
func exportRate(contacts int) float64 { return max(0.3, float64(contacts)/5000) }

// exportFacts draws the rows of one hour, counted from a year before hour 0. It is a function of its arguments: the
// server and the oracle share what was drawn and nothing else.
func exportFacts(seed uint64, contacts int, birth int64, s *exportSet, hour int) []exportFact {
	r := newRNG(seed, forExport, s.number, uint64(hour))
	rate := exportRate(contacts)
	n := int(rate)
	if r.chance(rate - float64(n)) {
		n++
	}
	facts := make([]exportFact, n)
	for i := range facts {
		f := &facts[i]
		f.key = fmt.Sprint(exportKeys + int64(hour)*100 + int64(i))
		f.created = birth - exportSpan + int64(hour)*3600 + int64(r.n(3600))
		f.known = hour + 1
		if r.chance(0.06) {
			f.known += 1 + r.n(20*24) // comes late (trap T106)
		}
		f.values = map[string]any{s.time: strconv.FormatInt(f.created, 10)}
		exportDraws[s.id](r, f)
		if r.chance(0.15) {
			changeFact(f, r, s, hour)
		}
	}
	return facts
}

// talkSettles is how old a conversation is when its row no longer follows it.
const talkSettles = 30 * day

// talkFact is the row of a conversation in the dataset of conversations. It follows the parts of the first thirty days: the state after
// them, whether the contact wrote, how long he waited for an admin, where the source has taken a third of the time out in one of four.
// The rest is drawn; of one that somebody wrote it is null, but for the channel. A deletion takes no row away.
func talkFact(seed uint64, c *conversation, parts []part) exportFact {
	r := newRNG(seed, forExport, forTalk, uint64(c.num))
	f := exportFact{key: c.ID, created: c.Created, values: map[string]any{"created_at": strconv.FormatInt(c.Created, 10)}}
	drawConversation(r, &f)
	shortened := r.chance(0.25)
	if c.wrote {
		for _, name := range []string{"first_teammate", "contact_name", "csat", "subject"} {
			f.values[name] = nil
		}
		f.values["channel"], f.values["bot_involved"] = c.Source.Type, "false"
	}
	f.silent = c.silent
	state, answered := "open", int64(0)
	for i := range parts {
		p := &parts[i]
		if p.At > c.Created+talkSettles {
			continue
		}
		state = p.State
		if p.Type != "comment" {
			continue
		}
		f.silent = f.silent && !isContactType(p.Author.Type)
		if p.Author.Type == "admin" {
			first(&answered, p.At)
		}
	}
	f.values["state"], f.values["user_replied"] = state, strconv.FormatBool(!f.silent)
	f.values["time_to_first_response"] = nil
	if answered != 0 {
		seconds := answered - c.Created
		if shortened {
			seconds -= seconds / 3
		}
		f.values["time_to_first_response"] = strconv.FormatInt(seconds, 10)
	}
	return f
}

// changeFact lets one value of a row be another one, up to thirty days later.
func changeFact(f *exportFact, r *rng, s *exportSet, hour int) {
	attribute := map[string]string{"conversation": "state", "admin_status_change": "away_reason", "conversation_state": "ended_at"}[s.id]
	value := any("corrected-" + r.text(tagWords))
	if attribute == "ended_at" {
		value = strconv.FormatInt(f.created+int64(r.n(40*day)), 10)
	}
	f.changes = append(f.changes, exportChange{hour: hour + 2 + r.n(30*24-2), attribute: attribute, value: value})
}

// factAt gives a value as it is from an hour on.
func factAt(f *exportFact, attribute string, hour int) any {
	value := f.values[attribute]
	for _, c := range f.changes {
		if c.attribute == attribute && c.hour <= hour {
			value = c.value
		}
	}
	return value
}

var (
	exportChannels = []string{"Email", "Messenger", "WhatsApp", "Phone, inbound", `"Web" form`}
	exportStates   = []string{"open", "closed", "snoozed"}
	exportReasons  = []string{"Lunch", "Meeting", "On a break", "Focus; no calls"}
	exportTeammate = []string{"Ada", "Bö", "Cleo, Team 2", "=cmd|' /C calc'!A0"}
	exportSubjects = []string{"Invoice 7", "line one\r\nline two", `he said "no"`, "a,b,,c", "  spaces  ", "+491234", "日本語", ""}
)

// orNone is a drawn text, or nothing at all, which is not the same as an empty one.
func orNone(r *rng, of []string) any {
	if r.chance(0.15) {
		return nil
	}
	return r.text(of)
}

func drawConversation(r *rng, f *exportFact) {
	f.values["conversation_id"] = f.key
	f.values["channel"] = r.text(exportChannels)
	f.values["first_teammate"] = orNone(r, exportTeammate)
	f.values["contact_name"] = orNone(r, firstNames)
	f.values["time_to_first_response"] = orNone(r, []string{"12", "340.5", "86400", "0"})
	f.values["csat"] = orNone(r, []string{"100", "75", "0"})
	f.values["state"] = r.text(exportStates)
	f.values["subject"] = orNone(r, exportSubjects)
	f.values["bot_involved"] = r.text([]string{"true", "false"})
	f.silent = r.chance(0.08)
	f.values["user_replied"] = strconv.FormatBool(!f.silent)
}

func drawStatus(r *rng, f *exportFact) {
	n := r.n(len(admins))
	f.values["admin_id"] = fmt.Sprint(admins[n].id)
	f.values["admin_name"] = r.text(exportTeammate)
	f.values["status"] = r.text([]string{"active", "away", "away_and_reassigning"})
	f.values["away_reason"] = orNone(r, exportReasons)
}

func drawState(r *rng, f *exportFact) {
	f.values["conversation_id"] = f.key
	f.values["state"] = r.text(exportStates)
	f.values["ended_at"] = nil
	f.values["duration"] = orNone(r, []string{"1", "59", "2880"})
}
