package oracletest

import (
	"slices"

	"aqueduck/internal/emulator"
)

// ofRecord stands for every contact that a conversation or a ticket names, in its list of contacts or in its parts.
const ofRecord = "record"

// erasedColumns are the columns that are null in rows about an erased contact: by stream, and by the column with the contact's id.
var erasedColumns = map[string]map[string][]string{
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

// ErasedContacts returns the contacts that the workspace has erased, under every id that was merged into them.
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

// erasedRecords says which values a warehouse may still have after the workspace erased some contacts.
type erasedRecords struct {
	forgotten map[string]bool
	records   map[any]bool    // conversations and tickets that name one of them; both share one range of ids
	parts     map[[2]any]bool // parts that one of them wrote
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

// recordOf returns the id of the conversation or ticket of an oracle's row.
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

// storedValue returns the value that a warehouse has for a value of the oracle.
func (m *erasedRecords) storedValue(stream, column string, row map[string]any) any {
	if m == nil {
		return row[column]
	}
	for whose, columns := range erasedColumns[stream] {
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
