package event

// ReportSpan is how far back the reporting data goes.
const ReportSpan = 365 * Day

// Dataset is one dataset of the reporting data.
type Dataset struct {
	Number        uint64 // what its rows are drawn from, with the seed
	ID, Name, Doc string
	Time          string // id of the attribute that rows are asked by
	Attributes    []DatasetAttribute
}

// DatasetAttribute is one column: its id, the id with its dataset where there is one, and the header, which may repeat.
type DatasetAttribute struct{ ID, Qualified, Name string }

// ReportFact is one row as it was drawn: what it says at first, and what it says from a later hour on.
type ReportFact struct {
	Key     string
	Created int64          // Unix seconds
	Known   int            // the hour from which the source has the row at all
	Values  map[string]any // by the id of the attribute
	Changes []ReportChange
	Silent  bool // a conversation that nobody answered: versions up to 2.16 do not export it (trap T108)
}

// ReportChange is a value that is another one from an hour on.
type ReportChange struct {
	Hour      int
	Attribute string
	Value     any
}

// Datasets are the datasets of every workspace. Two headers of the first are the same, as they are in the field, and
// some hold what no identifier may.
var Datasets = []*Dataset{
	{Number: 1, ID: "conversation", Name: "Conversations", Doc: "One row per conversation, by the time it was created.", Time: "created_at",
		Attributes: []DatasetAttribute{
			{"conversation_id", "conversation.conversation_id", "Conversation ID"}, {"created_at", "conversation.created_at", "Created at"},
			{"channel", "", "Channel"}, {"first_teammate", "teammate.name", "Name"}, {"contact_name", "contact.name", "Name"},
			{"time_to_first_response", "", "Time to first response (seconds)"}, {"csat", "", "CSAT score, %"},
			{"state", "", "Current state"}, {"subject", "", "Subject"}, {"bot_involved", "", "AI agent involved?"}, {"user_replied", "", "User replied"},
		}},
	{Number: 2, ID: "admin_status_change", Name: "Teammate status changes", Doc: "One row per change of a teammate's status.", Time: "changed_at",
		Attributes: []DatasetAttribute{
			{"admin_id", "admin.id", "Teammate ID"}, {"admin_name", "admin.name", "Teammate"}, {"changed_at", "", "Status changed at"},
			{"status", "", "Status"}, {"away_reason", "", "Away reason"},
		}},
	{Number: 3, ID: "conversation_state", Name: "Conversation states", Doc: "One row per state that a conversation was in.", Time: "started_at",
		Attributes: []DatasetAttribute{
			{"conversation_id", "conversation.conversation_id", "Conversation ID"}, {"state", "", "State"}, {"started_at", "", "Started at"},
			{"ended_at", "", "Ended at"}, {"duration", "", "Duration (minutes)"},
		}},
}

// FindDataset finds a dataset by its id; nil where there is none.
func FindDataset(id string) *Dataset {
	for _, s := range Datasets {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// ReportEvent is what was done to a dataset by hand: a row that came, or a value that changed.
type ReportEvent struct {
	At           int64
	Dataset, Key string
	Created      int64          // Unix seconds, of a row that came
	Values       map[string]any // of a row that came, by the id of the attribute
	Attribute    string
	Value        any
}

// TalkReport is what the source reports of a conversation that does not follow from its parts.
type TalkReport struct {
	Values    map[string]any // by attribute
	Shortened bool           // it has taken a third out of the time to the first response
}
