package oracletest

import (
	"testing"

	"aqueduck/internal/emulator"
)

// CompareTickets is CompareAll for a file with tickets alone, which cannot know of erasures.
func CompareTickets(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) { f.compareTruths(space, ticketTruths(), nil) })
	pairs, err := QueryRows(file, `SELECT id, name, value FROM (SELECT id, unnest(json_keys(ticket_attributes)) AS name, ticket_attributes AS a FROM tickets),
		LATERAL (SELECT (a->('$."' || replace(name, '"', '\"') || '"'))::VARCHAR AS value) WHERE value <> 'null'`)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := QueryRows(file, "SELECT ticket_id, name, (value->'$')::VARCHAR FROM ticket_attributes JOIN tickets ON id = ticket_id")
	if err != nil {
		t.Fatal(err)
	}
	CompareRows(t, "ticket_attributes", rows, pairs)
}

// ticketTruths are the relations about tickets. A file without tickets has none of the tables.
func ticketTruths() []streamTruth {
	of := func(table string) string {
		return "(SELECT t.* FROM " + table + " t JOIN tickets c ON c.id = t.ticket_id)"
	}
	return []streamTruth{
		{"tickets", "tickets", []string{"id", "number", "number:ticket_number", "category", "ticket_type_id", "ticket_type_name", "ticket_state_id", "ticket_state_category",
			"ticket_state_internal_label", "ticket_state_external_label", "admin_assignee_id", "team_assignee_id", "created_at", "updated_at", "open",
			"snoozed_until", "is_shared", "part_count", "ticket_attributes:ticket_attributes::VARCHAR"}},
		{"ticket_parts", of("ticket_parts"), []string{"ticket_id", "id", "part_type", "body", "created_at", "updated_at", "notified_at",
			"previous_ticket_state", "ticket_state", "updated_attribute_id", "updated_attribute_name",
			`updated_attribute_value:nullif(nullif(regexp_extract(updated_attribute_data::VARCHAR, '"value":\{"type":"value","label":(.+)\}\}$', 1), ''), 'null')`, "assigned_to_type", "assigned_to_id",
			"admin_assignee_id", "team_assignee_id", "author_type", "author_id", "author_name", "author_email", "from_ai_agent", "is_ai_answer",
			"external_id", "redacted", "app_package_code"}},
		{"ticket_attachments", of("ticket_attachments"), []string{"ticket_id", "part_id", "position:_position", "name", "url", "content_type", "filesize", "width", "height"}},
		{"ticket_contacts", of("ticket_contacts"), []string{"ticket_id", "contact_id", "external_id"}},
		{"ticket_linked_objects", of("ticket_linked_objects"), []string{"ticket_id", "object_type", "object_id", "category"}},
	}
}
