package oracle

import (
	"iter"
	"slices"

	"aqueduck/internal/emulator/event"
)

// New returns an oracle of everything so far; now is the workspace's time.
func New(log event.EventLog, now int64) *Oracle {
	return &Oracle{log: log, at: now, terms: log.Terms[len(log.Terms)-1], began: log.Start - event.Span}
}

// NewAt returns an oracle of what had happened by a time.
func NewAt(log event.EventLog, t int64) *Oracle {
	log.Contacts = eventsUntil(log.Contacts, t, func(e *event.ContactEvent) int64 { return e.At })
	log.Conversations = eventsUntil(log.Conversations, t, func(e *event.ThreadEvent) int64 { return e.At })
	log.Tickets = eventsUntil(log.Tickets, t, func(e *event.ThreadEvent) int64 { return e.At })
	log.Companies = eventsUntil(log.Companies, t, func(e *event.CompanyEvent) int64 { return e.At })
	log.Content = eventsUntil(log.Content, t, func(e *event.ContentEvent) int64 { return e.At })
	log.Consultations = eventsUntil(log.Consultations, t, func(c *event.Consultation) int64 { return c.LoggedAt })
	log.Reports = eventsUntil(log.Reports, t, func(e *event.ReportEvent) int64 { return e.At })
	// Actions are sorted by their own time, not by when they came into the log, so their log is filtered, not cut. Calls carry the times of
	// what happened to them.
	log.Actions = slices.DeleteFunc(slices.Clone(log.Actions), func(a event.AdminAction) bool { return max(a.At, a.ListedAt) > t })
	terms := eventsUntil(log.Terms, t, func(s *event.OracleTerms) int64 { return s.At })
	log.Terms = log.Terms[:max(1, len(terms))]
	return New(log, t)
}

// eventsUntil cuts a log before its first entry that is later than t. Everything behind that entry counts as later, even when a clock was
// turned back: no entry stays without the entries that it depends on.
func eventsUntil[E any](log []E, t int64, at func(e *E) int64) []E {
	for i := range log {
		if at(&log[i]) > t {
			return log[:i:i]
		}
	}
	return log
}

// StreamRows returns the rows of a stream, nil for an unknown stream. The documentation of package emulator describes the columns.
func (o *Oracle) StreamRows(stream string) iter.Seq[Row] {
	if set := datasetOf(stream); set != nil {
		return func(yield func(Row) bool) { reportRows(o, set, yield) }
	}
	for _, s := range streams {
		if s.name == stream {
			return func(yield func(Row) bool) {
				o.replayContacts()
				s.tell(o, yield)
			}
		}
	}
	return nil
}

// StreamNames names all streams.
func StreamNames() (names []string) {
	for _, s := range streams {
		names = append(names, s.name)
	}
	for _, set := range event.Datasets {
		names = append(names, reports+set.ID)
	}
	return names
}

// streams are the streams besides the datasets, each with the function that yields its rows.
var streams = []struct {
	name string
	tell func(o *Oracle, yield func(Row) bool)
}{
	{"contacts", contactRows},
	{"contact_tags", contactTags},
	{"contact_notes", contactNotes},
	{"contact_note_texts", noteTexts},
	{"contact_companies", contactCompanies},
	{"contact_subscriptions", contactSubscriptions},
	{"contact_social_profiles", socialProfiles},
	{"deleted_contacts", deletedContacts},
	{"contact_activities", activityRows},
	{"contact_lifecycle", lifecycleRows},
	{"contacts_deleted", contactDeletions},
	{"conversations", conversationRows},
	{"conversation_parts", ofConversations((*replayedThread).partRows)},
	{"conversation_contacts", ofConversations((*replayedThread).contactRows)},
	{"conversation_tags", ofConversations((*replayedThread).tagRows)},
	{"conversation_teammates", ofConversations((*replayedThread).teammateRows)},
	{"conversation_linked_objects", ofConversations((*replayedThread).linkRows)},
	{"conversation_content_sources", ofConversations((*replayedThread).sourceRows)},
	{"conversation_attachments", ofConversations((*replayedThread).fileRows)},
	{"conversation_source_attachments", ofConversations((*replayedThread).sourceFileRows)},
	{"conversation_part_tags", ofConversations((*replayedThread).partTagRows)},
	{"conversation_scorecards", ofConversations((*replayedThread).scorecardRows)},
	{"conversation_scorecard_notes", ofConversations((*replayedThread).reviewNoteRows)},
	{"conversation_scorecard_evaluators", ofConversations((*replayedThread).evaluatorRows)},
	{"conversation_monitor_evaluations", ofConversations((*replayedThread).evaluationRows)},
	{"deleted_conversations", deletedConversations},
	{"hitl_events", consultationRows},
	{"tickets", ticketRows},
	{"ticket_parts", ofTickets(ticketPartRows)},
	{"ticket_attachments", ofTickets((*replayedThread).fileRows)},
	{"ticket_contacts", ofTickets((*replayedThread).contactRows)},
	{"ticket_linked_objects", ofTickets((*replayedThread).linkRows)},
	{"segments", segmentRows},
	{"tags", tagRows},
	{"admins", adminRows},
	{"teams", teamRows},
	{"subscription_types", subscriptionRows},
	{"data_attributes", attributeRows},
	{"ticket_types", ticketTypeRows},
	{"ticket_states", ticketStateRows},
	{"away_status_reasons", awayReasonRows},
	{"help_centers", helpCenterRows},
	{"brands", brandRows},
	{"macros", macroRows},
	{"content_snippets", snippetRows},
	{"conversation_data_attributes", conversationAttributeRows},
	{"handling_events", ofConversations((*replayedThread).handlingRows)},
	{"side_conversations", ofConversations((*replayedThread).sideRows)},
	{"side_conversation_parts", ofConversations((*replayedThread).sidePartRows)},
	{"side_conversation_attachments", ofConversations((*replayedThread).sideFileRows)},
	{"articles", contentRows(event.Articles)},
	{"internal_articles", contentRows(event.InternalArticles)},
	{"collections", contentRows(event.Collections)},
	{"newsfeeds", contentRows(event.Newsfeeds)},
	{"news_items", contentRows(event.NewsItems)},
	{"folders", contentRows(event.Folders)},
	{"dynamic_contents", contentRows(event.DynamicContents)},
	{"data_connectors", contentRows(event.Connectors)},
	{"data_connector_versions", connectorVersions},
	{"companies", companyRows},
	{"company_tags", companyTags},
	{"company_segments", companySegments},
	{"company_notes", companyNotes},
	{"admin_activity_logs", actionRows},
	{"calls", callRows},
	{"call_transcripts", transcriptRows},
	{"call_transcript_lines", transcriptLines},
}
