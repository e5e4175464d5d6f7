package population

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
)

// exportDraws draw the values of a row, by dataset.
var exportDraws = map[string]func(cast *event.Cast, r *event.RNG, f *event.ReportFact){
	"conversation": drawConversation, "admin_status_change": drawStatus, "conversation_state": drawState}

// ReportKeys is the first key of rows: each hour has a hundred keys.
const ReportKeys = 200_000_000_000

// exportRate is the mean number of rows of a dataset in an hour.
func exportRate(contacts int) float64 { return max(0.3, float64(contacts)/5000) }

// drawReportFacts draws the rows of one hour, counted from a year before hour 0. The result is a function of the arguments: the server and the
// oracle share these draws and nothing else.
func drawReportFacts(cast *event.Cast, seed uint64, contacts int, birth int64, s *event.Dataset, hour int) []event.ReportFact {
	r := event.NewRNG(seed, event.ForReport, s.Number, uint64(hour))
	rate := exportRate(contacts)
	n := int(rate)
	if r.Chance(rate - float64(n)) {
		n++
	}
	facts := make([]event.ReportFact, n)
	for i := range facts {
		f := &facts[i]
		f.Key = fmt.Sprint(ReportKeys + int64(hour)*100 + int64(i))
		f.Created = birth - event.ReportSpan + int64(hour)*3600 + int64(r.IntN(3600))
		f.Known = hour + 1
		if r.Chance(0.06) {
			f.Known += 1 + r.IntN(20*24) // comes late (trap T106)
		}
		f.Values = map[string]any{s.Time: strconv.FormatInt(f.Created, 10)}
		exportDraws[s.ID](cast, r, f)
		if r.Chance(0.15) {
			changeFact(f, r, s, hour)
		}
	}
	return facts
}

// drawConversationReport draws the reported values of a conversation that do not follow from its parts.
func drawConversationReport(seed uint64, num int32) event.ConversationReport {
	r, f := event.NewRNG(seed, event.ForReport, event.ForConversationReport, uint64(num)), event.ReportFact{Values: map[string]any{}}
	drawConversation(nil, r, &f)
	return event.ConversationReport{Values: f.Values, Shortened: r.Chance(0.25)}
}

// changeFact changes one value of a row, up to thirty days later.
func changeFact(f *event.ReportFact, r *event.RNG, s *event.Dataset, hour int) {
	attribute := map[string]string{"conversation": "state", "admin_status_change": "away_reason", "conversation_state": "ended_at"}[s.ID]
	value := any("corrected-" + r.PickText(event.TagWords))
	if attribute == "ended_at" {
		value = strconv.FormatInt(f.Created+int64(r.IntN(40*event.Day)), 10)
	}
	f.Changes = append(f.Changes, event.ReportChange{Hour: hour + 2 + r.IntN(30*24-2), Attribute: attribute, Value: value})
}

var (
	exportChannels = []string{"Email", "Messenger", "WhatsApp", "Phone, inbound", `"Web" form`}
	exportStates   = []string{"open", "closed", "snoozed"}
	exportReasons  = []string{"Lunch", "Meeting", "On a break", "Focus; no calls"}
	exportTeammate = []string{"Ada", "Bö", "Cleo, Team 2", "=cmd|' /C calc'!A0"}
	exportSubjects = []string{"Invoice 7", "line one\r\nline two", `he said "no"`, "a,b,,c", "  spaces  ", "+491234", "日本語", ""}
)

// orNone draws a text, or nil, which differs from an empty text.
func orNone(r *event.RNG, of []string) any {
	if r.Chance(0.15) {
		return nil
	}
	return r.PickText(of)
}

func drawConversation(_ *event.Cast, r *event.RNG, f *event.ReportFact) {
	f.Values["conversation_id"] = f.Key
	f.Values["channel"] = r.PickText(exportChannels)
	f.Values["first_teammate"] = orNone(r, exportTeammate)
	f.Values["contact_name"] = orNone(r, firstNames)
	f.Values["time_to_first_response"] = orNone(r, []string{"12", "340.5", "86400", "0"})
	f.Values["csat"] = orNone(r, []string{"100", "75", "0"})
	f.Values["state"] = r.PickText(exportStates)
	f.Values["subject"] = orNone(r, exportSubjects)
	f.Values["bot_involved"] = r.PickText([]string{"true", "false"})
	f.Silent = r.Chance(0.08)
	f.Values["user_replied"] = strconv.FormatBool(!f.Silent)
}

func drawStatus(cast *event.Cast, r *event.RNG, f *event.ReportFact) {
	n := r.IntN(len(cast.Admins))
	f.Values["admin_id"] = fmt.Sprint(cast.Admins[n].ID)
	f.Values["admin_name"] = r.PickText(exportTeammate)
	f.Values["status"] = r.PickText([]string{"active", "away", "away_and_reassigning"})
	f.Values["away_reason"] = orNone(r, exportReasons)
}

func drawState(_ *event.Cast, r *event.RNG, f *event.ReportFact) {
	f.Values["conversation_id"] = f.Key
	f.Values["state"] = r.PickText(exportStates)
	f.Values["ended_at"] = nil
	f.Values["duration"] = orNone(r, []string{"1", "59", "2880"})
}
