package conversations

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// talkSettles is how old a conversation is when its row no longer follows it.
const talkSettles = 30 * event.Day

// ReportFact is the row of a conversation in the dataset of conversations. It follows the parts of the first thirty days: the state after
// them, whether the contact wrote, how long he waited for an admin, where the source has taken a third of the time out in one of four.
// The rest is drawn; of one that somebody wrote it is null, but for the channel. A deletion takes no row away.
func (w *Desk) ReportFact(e *Edition) event.ReportFact {
	c := w.ThreadDrawer().DrawConversation(e)
	drawn := population.DrawTalk(w.Setup.Seed, c.Num)
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
		if p.At > c.Created+talkSettles {
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
