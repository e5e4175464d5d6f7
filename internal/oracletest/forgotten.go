package oracletest

import (
	"slices"

	"aqueduck/internal/emulator"
)

// ofRecord stands for every contact that a conversation or a ticket, its list of contacts or its parts name.
const ofRecord = "record"

// forgetting is what of a stream's rows a warehouse does not hold where they are about a contact who was erased: by column
// with the contact's id, the columns that are null.
var forgetting = map[string]map[string][]string{
	"deleted_contacts":   {"id": {"external_id", "email"}, "merged_into_id": {"external_id", "email"}},
	"contact_activities": {"contact_id": {"external_id"}, "merge_source_id": {"external_id"}, "merge_target_id": {"external_id"}},
	"conversations": {
		"source_author_id":  {"source_subject", "source_body", "source_url", "source_author_name", "source_author_email"},
		"rating_contact_id": {"rating_remark"},
		ofRecord:            {"title", "first_contact_reply_url", "ai_agent_rating_remark", "custom_attributes"},
	},
	"conversation_parts":                {"author_id": {"body", "author_name", "author_email"}, ofRecord: {"event_details", "metadata"}},
	"conversation_attachments":          {"part author": {"name", "url"}},
	"conversation_source_attachments":   {ofRecord: {"name", "url"}},
	"conversation_contacts":             {"contact_id": {"external_id"}},
	"conversation_scorecard_notes":      {ofRecord: {"body"}},
	"conversation_scorecard_evaluators": {ofRecord: {"reasoning"}},
	"conversation_monitor_evaluations":  {ofRecord: {"reasoning"}},
	"tickets":                           {ofRecord: {"ticket_attributes"}},
	"ticket_parts":                      {"author_id": {"body", "author_name", "author_email"}, ofRecord: {"updated_attribute_value"}},
	"ticket_attachments":                {"part author": {"name", "url"}},
	"ticket_contacts":                   {"contact_id": {"external_id"}},
	"calls":                             {"contact_id": {"phone", "recording_url", "transcription_url"}},
	"call_transcript_lines":             {"contact_id": {"speaker", "text"}},
	"reporting_conversation":            {ofRecord: {"contact_name", "subject"}},
}

// ErasedContacts are the contacts whom the workspace has erased for good, under every id that was merged into them.
func ErasedContacts(space *emulator.Workspace) map[string]bool {
	gone, before := map[string]bool{}, map[string][]string{}
	var todo []string
	merged := func(from, into any) {
		if id, ok := into.(string); ok && id != "" {
			before[id] = append(before[id], from.(string))
		}
	}
	for _, row := range space.Oracle("deleted_contacts") {
		merged(row["id"], row["merged_into_id"])
		if row["status"] == "permanently_deleted" {
			todo = append(todo, row["id"].(string))
		}
	}
	for _, row := range space.Oracle("contact_activities") {
		if row["event_type"] == "contact.merged" {
			merged(row["merge_source_id"], row["merge_target_id"])
		}
	}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if !gone[id] {
			gone[id] = true
			todo = append(todo, before[id]...)
		}
	}
	return gone
}

// erasedRecords is what a warehouse may hold of a workspace that has forgotten some of its contacts.
type erasedRecords struct {
	forgotten map[string]bool
	records   map[any]bool    // conversations and tickets that name one of them, which share their numbers
	parts     map[[2]any]bool // that one of them wrote
}

func findErased(space *emulator.Workspace) *erasedRecords {
	m := &erasedRecords{ErasedContacts(space), map[any]bool{}, map[[2]any]bool{}}
	if len(m.forgotten) == 0 {
		return m
	}
	for stream, columns := range map[string][]string{
		"conversations": {"source_author_id", "rating_contact_id"}, "conversation_contacts": {"contact_id"}, "conversation_parts": {"author_id"},
		"ticket_contacts": {"contact_id"}, "ticket_parts": {"author_id"},
	} {
		for _, row := range space.Oracle(stream) {
			id := recordOf(stream, row)
			if slices.ContainsFunc(columns, func(c string) bool { return m.isErased(row[c]) }) {
				m.records[id] = true
				if row["part_type"] != nil {
					m.parts[[2]any{id, row["id"]}] = true
				}
			}
		}
	}
	return m
}

// recordOf is the id of the conversation or ticket that a row of the oracle is, or belongs to.
func recordOf(stream string, row map[string]any) any {
	switch {
	case row["conversation_id"] != nil:
		return row["conversation_id"]
	case row["ticket_id"] != nil:
		return row["ticket_id"]
	case stream == "conversations" || stream == "tickets":
		return row["id"]
	}
	return nil
}

func (m *erasedRecords) isErased(id any) bool {
	text, ok := id.(string)
	return ok && m.forgotten[text]
}

// storedValue is what a warehouse holds of one value of the oracle.
func (m *erasedRecords) storedValue(stream, column string, row map[string]any) any {
	if m == nil {
		return row[column]
	}
	for whose, columns := range forgetting[stream] {
		if !slices.Contains(columns, column) {
			continue
		}
		about := m.isErased(row[whose])
		switch whose {
		case ofRecord:
			about = m.records[recordOf(stream, row)]
		case "part author":
			about = m.parts[[2]any{recordOf(stream, row), row["part_id"]}]
		}
		if about {
			return nil
		}
	}
	return row[column]
}
