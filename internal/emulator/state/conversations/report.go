package conversations

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// reportWindow is the age, in seconds, after which the row of a conversation no longer follows it.
const reportWindow = 30 * event.Day

// ReportFact returns the row of a conversation in the dataset of conversations. It follows the parts of the first thirty days: the state after
// them, whether the contact wrote, and the wait for an admin, which the source reports a third too short in one of four. The rest is drawn.
// For a conversation that a request or an operation began, the rest is null except for the channel. A deletion removes no row.
func (w *Desk) ReportFact(e *Edition) event.ReportFact {
	c := w.ThreadDrawer().DrawConversation(e)
	drawn := w.Setup.Origin.ConversationReport(c.Num)
	f := event.ReportFact{Key: c.ID, Created: c.Created, Values: drawn.Values, Silent: c.silent}
	f.Values["conversation_id"], f.Values["created_at"] = c.ID, strconv.FormatInt(c.Created, 10)
	if c.wrote {
		for _, name := range []string{"first_teammate", "contact_name", "csat", "subject"} {
			f.Values[name] = nil
		}
		f.Values["channel"], f.Values["bot_involved"] = c.Source.Type, "false"
	}
	state, answered := "open", int64(0)
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.At > c.Created+reportWindow {
			continue
		}
		state = p.State
		if p.Type != "comment" {
			continue
		}
		f.Silent = f.Silent && !isContactType(p.Author.Type)
		if p.Author.Type == "admin" {
			setIfZero(&answered, p.At)
		}
	}
	f.Values["state"], f.Values["user_replied"] = state, strconv.FormatBool(!f.Silent)
	f.Values["time_to_first_response"] = nil
	if answered != 0 {
		seconds := answered - c.Created
		if drawn.Shortened {
			seconds -= seconds / 3
		}
		f.Values["time_to_first_response"] = strconv.FormatInt(seconds, 10)
	}
	return f
}
