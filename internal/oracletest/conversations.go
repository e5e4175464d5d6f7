package oracletest

import (
	"testing"

	"aqueduck/internal/emulator"
)

// conversationTruths are the relations about conversations. A file without conversations has none of the tables.
func conversationTruths() []streamTruth {
	list := []streamTruth{{"conversations", "conversations", []string{"id", "title", "created_at", "updated_at", "waiting_since", "snoozed_until",
		"open", "state", "read", "priority", "admin_assignee_id", "team_assignee_id", "company_id",
		"source_type", "source_id", "source_delivered_as", "source_subject", "source_body", "source_url", "source_redacted",
		"source_author_type", "source_author_id", "source_author_name", "source_author_email", "source_author_from_ai_agent",
		"source_author_is_ai_answer", "first_contact_reply_created_at", "first_contact_reply_type", "first_contact_reply_url",
		"sla_name", "sla_status", "statistics_time_to_assignment", "statistics_time_to_admin_reply", "statistics_time_to_first_close",
		"statistics_time_to_last_close", "statistics_median_time_to_reply", "statistics_first_contact_reply_at",
		"statistics_first_assignment_at", "statistics_first_admin_reply_at", "statistics_first_close_at", "statistics_last_assignment_at",
		"statistics_last_assignment_admin_reply_at", "statistics_last_contact_reply_at", "statistics_last_admin_reply_at",
		"statistics_last_close_at", "statistics_last_closed_by_id", "statistics_count_reopens", "statistics_count_assignments",
		"statistics_count_conversation_parts", "statistics_handling_time", "ai_agent_participated", "ai_agent_source_type",
		"ai_agent_source_title", "ai_agent_last_answer_type", "ai_agent_resolution_state", "ai_agent_rating", "ai_agent_rating_remark",
		"ai_agent_created_at", "ai_agent_updated_at", "rating", "rating_remark", "rating_created_at", "rating_updated_at",
		"rating_contact_id", "rating_teammate_type", "rating_teammate_id", "custom_attributes:custom_attributes::VARCHAR"}}}
	file := []string{"position:_position", "name", "url", "content_type", "filesize", "width", "height"}
	for table, columns := range map[string][]string{
		"conversation_parts": {"id", "part_type", "body", "created_at", "updated_at", "notified_at", "assigned_to_type", "assigned_to_id",
			"admin_assignee_id", "team_assignee_id", "author_type", "author_id", "author_name", "author_email", "from_ai_agent", "is_ai_answer",
			"external_id", "redacted", "state", "call_id", "event_details:event_details::VARCHAR", "event_type",
			"event_data:event_data::VARCHAR", "metadata:metadata::VARCHAR", "app_package_code"},
		"conversation_part_tags":            {"part_id", "tag_id", "name"},
		"conversation_attachments":          append([]string{"part_id"}, file...),
		"conversation_source_attachments":   file,
		"conversation_contacts":             {"contact_id", "external_id"},
		"conversation_tags":                 {"tag_id", "name", "applied_at", "applied_by_id"},
		"conversation_teammates":            {"admin_id"},
		"conversation_linked_objects":       {"object_type", "object_id", "category"},
		"conversation_content_sources":      {"position:_position", "content_type", "title", "locale", "url"},
		"conversation_monitor_evaluations":  {"monitor_id", "name", "passed", "value", "reasoning", "evaluated_at"},
		"conversation_scorecard_notes":      {"scorecard_id", "note_id", "author_type", "author_id", "body", "created_at", "updated_at"},
		"conversation_scorecard_evaluators": {"scorecard_id", "evaluator_id", "name", "value", "value_label", "source", "reasoning", "reasons:reasons::VARCHAR"},
		"conversation_scorecards": {"scorecard_id", "name", "passed", "score", "review_status", "reviewed_teammate_type", "reviewed_teammate_id",
			"reviewer_type", "reviewer_id", "submitted_by_type", "submitted_by_id", "revised_by_type", "revised_by_id"},
	} {
		relation := "(SELECT t.* FROM " + table + " t JOIN conversations c ON c.id = t.conversation_id)"
		list = append(list, streamTruth{table, relation, append([]string{"conversation_id"}, columns...)})
	}
	return list
}

// CompareConversations is CompareAll for a file with conversations alone.
func CompareConversations(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) { f.compareTruths(space, conversationTruths(), nil) }) // without contacts, the file cannot know of erasures
}
