package emulator

import "aqueduck/internal/emulator/event"

// OracleStreams names the streams that Oracle knows.
func OracleStreams() []string {
	return []string{"contacts", "contact_tags", "contact_notes", "contact_companies", "contact_subscriptions", "contact_social_profiles",
		"deleted_contacts", "contact_activities", "contact_lifecycle",
		"conversations", "conversation_parts", "conversation_contacts", "conversation_tags", "conversation_teammates",
		"conversation_linked_objects", "conversation_content_sources", "conversation_attachments", "conversation_source_attachments",
		"conversation_part_tags", "conversation_scorecards", "conversation_scorecard_notes", "conversation_scorecard_evaluators",
		"conversation_monitor_evaluations", "deleted_conversations", "hitl_events",
		"tickets", "ticket_parts", "ticket_attachments", "ticket_contacts", "ticket_linked_objects",
		"segments", "tags", "admins", "teams", "subscription_types", "data_attributes", "ticket_types", "ticket_states",
		"away_status_reasons",
		"articles", "internal_articles", "collections", "newsfeeds", "news_items", "folders", "dynamic_contents", "data_connectors",
		"data_connector_versions",
		"companies", "company_tags", "company_segments", "company_notes",
		"admin_activity_logs", "calls", "call_transcripts", "call_transcript_lines",
		"reporting_conversation", "reporting_admin_status_change", "reporting_conversation_state"}
}

var oracles = map[string]func(o *oracle, yield func(map[string]any) bool){
	"contacts":                (*oracle).contacts,
	"contact_tags":            (*oracle).tags,
	"contact_notes":           (*oracle).noteRows,
	"contact_companies":       (*oracle).companies,
	"contact_subscriptions":   (*oracle).subscriptions,
	"contact_social_profiles": (*oracle).socials,
	"deleted_contacts":        (*oracle).deleted,
	"contact_activities":      (*oracle).activities,
	"contact_lifecycle":       (*oracle).lifecycles,

	"conversations":                     (*oracle).conversations,
	"conversation_parts":                (*oracle).conversationParts,
	"conversation_contacts":             (*oracle).conversationContacts,
	"conversation_tags":                 (*oracle).conversationTags,
	"conversation_teammates":            (*oracle).conversationTeammates,
	"conversation_linked_objects":       (*oracle).linkedObjects,
	"conversation_content_sources":      (*oracle).contentSources,
	"conversation_attachments":          (*oracle).partAttachments,
	"conversation_source_attachments":   (*oracle).sourceAttachments,
	"conversation_part_tags":            (*oracle).partTags,
	"conversation_scorecards":           (*oracle).scorecards,
	"conversation_scorecard_notes":      (*oracle).reviewNotes,
	"conversation_scorecard_evaluators": (*oracle).evaluators,
	"conversation_monitor_evaluations":  (*oracle).monitorEvaluations,

	"deleted_conversations": (*oracle).deletedConversations,
	"hitl_events":           (*oracle).hitlEvents,

	"tickets":               (*oracle).ticketRows,
	"ticket_parts":          ticketList(func(o *oracle, t *told) []map[string]any { return t.ticketParts(o.cap) }),
	"ticket_attachments":    ticketList(func(o *oracle, t *told) []map[string]any { return t.fileRows(o.cap) }),
	"ticket_contacts":       ticketList(func(_ *oracle, t *told) []map[string]any { return t.contactRows() }),
	"ticket_linked_objects": ticketList(func(_ *oracle, t *told) []map[string]any { return t.linkRows() }),

	"segments":            (*oracle).segments,
	"tags":                (*oracle).tagRows,
	"admins":              (*oracle).adminRows,
	"teams":               (*oracle).teamRows,
	"subscription_types":  (*oracle).subscriptionRows,
	"data_attributes":     (*oracle).attributeRows,
	"ticket_types":        (*oracle).ticketTypeRows,
	"ticket_states":       (*oracle).ticketStateRows,
	"away_status_reasons": (*oracle).awayRows,

	"articles":                contentRows(event.Articles),
	"internal_articles":       contentRows(event.InternalArticles),
	"collections":             contentRows(event.Collections),
	"newsfeeds":               contentRows(event.Newsfeeds),
	"news_items":              contentRows(event.NewsItems),
	"folders":                 contentRows(event.Folders),
	"dynamic_contents":        contentRows(event.DynamicContents),
	"data_connectors":         contentRows(event.Connectors),
	"data_connector_versions": (*oracle).connectorVersions,

	"companies":        (*oracle).firmRows,
	"company_tags":     (*oracle).firmTags,
	"company_segments": (*oracle).firmSegments,
	"company_notes":    (*oracle).firmNotes,

	"admin_activity_logs":   (*oracle).adminLogs,
	"calls":                 (*oracle).callRows,
	"call_transcripts":      (*oracle).transcripts,
	"call_transcript_lines": (*oracle).transcriptLines,
}
