package oracle

import (
	"iter"
	"slices"

	"aqueduck/internal/emulator/event"
)

// New is an oracle that knows everything so far; now is the workspace's time.
func New(log event.Log, now int64) *Oracle {
	return &Oracle{log: log, at: now, terms: log.Terms[len(log.Terms)-1], began: log.Start - event.Span}
}

// At is an oracle that knows what had happened by a time, and nothing that came after it.
func At(log event.Log, t int64) *Oracle {
	log.Contacts = until(log.Contacts, t, func(e *event.ContactEvent) int64 { return e.At })
	log.Conversations = until(log.Conversations, t, func(e *event.ThreadEvent) int64 { return e.At })
	log.Tickets = until(log.Tickets, t, func(e *event.ThreadEvent) int64 { return e.At })
	log.Companies = until(log.Companies, t, func(e *event.CompanyEvent) int64 { return e.At })
	log.Content = until(log.Content, t, func(e *event.ContentEvent) int64 { return e.At })
	log.Consultations = until(log.Consultations, t, func(c *event.Consultation) int64 { return c.Put })
	log.Reports = until(log.Reports, t, func(e *event.ReportEvent) int64 { return e.At })
	// These are not in the order in which they came. Calls know by themselves when they did.
	log.Actions = slices.DeleteFunc(slices.Clone(log.Actions), func(a event.AdminAction) bool { return max(a.At, a.Put) > t })
	terms := until(log.Terms, t, func(s *event.Terms) int64 { return s.At })
	log.Terms = log.Terms[:max(1, len(terms))]
	return New(log, t)
}

// until is a log up to a time. What was logged after an event counts as later than it, also where a clock that was turned
// back says otherwise: no entry is kept without those that it rests on.
func until[E any](log []E, t int64, at func(e *E) int64) []E {
	for i := range log {
		if at(&log[i]) > t {
			return log[:i:i]
		}
	}
	return log
}

// Rows gives the rows of a stream, nil for one that is not known. The documentation of package emulator tells the columns.
func (o *Oracle) Rows(stream string) iter.Seq[Row] {
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

// Streams names all streams.
func Streams() (names []string) {
	for _, s := range streams {
		names = append(names, s.name)
	}
	for _, set := range event.Datasets {
		names = append(names, reports+set.ID)
	}
	return names
}

// streams are those that are no datasets, and what tells the rows of each.
var streams = []struct {
	name string
	tell func(o *Oracle, yield func(Row) bool)
}{
	{"contacts", contactRows},
	{"contact_tags", contactTags},
	{"contact_notes", contactNotes},
	{"contact_companies", contactCompanies},
	{"contact_subscriptions", contactSubscriptions},
	{"contact_social_profiles", socialProfiles},
	{"deleted_contacts", deletedContacts},
	{"contact_activities", activities},
	{"contact_lifecycle", lifecycles},
	{"conversations", conversationRows},
	{"conversation_parts", ofConversations((*thread).partRows)},
	{"conversation_contacts", ofConversations((*thread).contactRows)},
	{"conversation_tags", ofConversations((*thread).tagRows)},
	{"conversation_teammates", ofConversations((*thread).teammateRows)},
	{"conversation_linked_objects", ofConversations((*thread).linkRows)},
	{"conversation_content_sources", ofConversations((*thread).sourceRows)},
	{"conversation_attachments", ofConversations((*thread).fileRows)},
	{"conversation_source_attachments", ofConversations((*thread).sourceFileRows)},
	{"conversation_part_tags", ofConversations((*thread).partTagRows)},
	{"conversation_scorecards", ofConversations((*thread).scorecardRows)},
	{"conversation_scorecard_notes", ofConversations((*thread).reviewNoteRows)},
	{"conversation_scorecard_evaluators", ofConversations((*thread).evaluatorRows)},
	{"conversation_monitor_evaluations", ofConversations((*thread).evaluationRows)},
	{"deleted_conversations", deletedConversations},
	{"hitl_events", consultationRows},
	{"tickets", ticketRows},
	{"ticket_parts", ofTickets(ticketPartRows)},
	{"ticket_attachments", ofTickets((*thread).fileRows)},
	{"ticket_contacts", ofTickets((*thread).contactRows)},
	{"ticket_linked_objects", ofTickets((*thread).linkRows)},
	{"segments", segmentRows},
	{"tags", tagRows},
	{"admins", adminRows},
	{"teams", teamRows},
	{"subscription_types", subscriptionRows},
	{"data_attributes", attributeRows},
	{"ticket_types", ticketTypeRows},
	{"ticket_states", ticketStateRows},
	{"away_status_reasons", awayReasonRows},
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
