package event

// ReportSpan is how many seconds of reporting data there are before hour 0.
const ReportSpan = 365 * Day

// Dataset is one dataset of the reporting data.
type Dataset struct {
	Number        uint64 // number that its rows are drawn from, with the seed
	ID, Name, Doc string
	Time          string // id of the attribute by which rows are selected
	Attributes    []DatasetAttribute
}

// DatasetAttribute is one column: its id, the id qualified by its dataset where there is one, and the header. Headers may repeat.
type DatasetAttribute struct{ ID, Qualified, Name string }

// ReportFact is one drawn row, with its initial values and their later changes.
type ReportFact struct {
	Key     string
	Created int64          // Unix seconds
	Known   int            // hour from which the source has the row
	Values  map[string]any // by the id of the attribute
	Changes []ReportChange
	Silent  bool // nobody answered the conversation: versions up to 2.16 do not export it (trap T108)
}

// ReportChange is a new value from an hour on.
type ReportChange struct {
	Hour      int
	Attribute string
	Value     any
}

// Datasets are the datasets of every workspace. Two headers of the first dataset are equal, as in real workspaces, and some headers contain
// characters that identifiers cannot have.
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

// FindDataset returns a dataset by its id; nil for an unknown id.
func FindDataset(id string) *Dataset {
	for _, s := range Datasets {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// ReportEvent is a change of a dataset by an operation: a new row or a new value.
type ReportEvent struct {
	At           int64
	Dataset, Key string
	Created      int64          // Unix seconds, of a new row
	Values       map[string]any // of a new row, by the id of the attribute
	Attribute    string
	Value        any
}

// ConversationReport has the reported values of a conversation that do not follow from its parts.
type ConversationReport struct {
	Values    map[string]any // by attribute
	Shortened bool           // the reported time to the first response is a third shorter than the real one
}
