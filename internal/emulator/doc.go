// Package emulator is a customer-messaging workspace in memory, spoken to over HTTP, with an oracle that knows its truth.
//
// The truth is a log of events that is only appended to. What is served follows it event by event, with the delays and
// faults that the knobs ask for; the oracle replays it from the beginning by code of its own. The population at hour 0
// is a function of the seed, what happens later of the seed and the hours lived.
//
// # Rows of the oracle
//
// Oracle(stream) and GET /_oracle/{stream} give the rows that a perfect reader holds once the index has caught up. Null
// is nil; ids are text; times are UNIX seconds as int64; an empty text is never kept, it is null.
//
//   - contacts: active contacts. The fields of the document by their names, location.* as location_country, location_region,
//     location_city, custom_attributes as the JSON text that is sent. email_verified is always there, though versions up
//     to 2.16 do not send it. owner_id is an int64, some beyond 2^53.
//   - contact_tags (contact_id, tag_id, url), contact_notes (contact_id, note_id, url), contact_companies (contact_id, company_id),
//     contact_subscriptions (contact_id, subscription_id), contact_social_profiles (contact_id, position, name, url): of active contacts,
//     all of them, also beyond the ten that a contact's answer holds.
//   - deleted_contacts: entries of the list of inactive contacts as sent: id, role, status, updated_at, merged_into_id,
//     external_id, email (HTML-escaped as sent).
//   - contact_activities: id, event_type, contact_id, external_id, role, merge_source_id, merge_target_id, failure_reason,
//     created_at. Of a merge, contact_id is the source.
//   - contact_lifecycle: every contact that ever was: id, lifecycle, inactive_since, merged_into_id, current_contact_id.
//   - calls: those that the list has now, addresses of media without their query; call_transcripts (call_id, conversation_id,
//     contact_id, transcript_status) of those that have ended and that search does not leave out; call_transcript_lines
//     (call_id, position, contact_id, speaker, text, start_seconds, end_seconds).
//   - admin_activity_logs: all entries, as the versions from 2.14 on tell them; metadata as the JSON text that is sent.
//   - reporting_<dataset>: rows of a dataset of the reporting exports, by the ids of its attributes, all of them text, and
//     _time. They go a year back from hour 0 and come by the hour that is lived, some days late, some change up to
//     thirty days later. ReportRow and ReportChange do the same by hand.
//   - conversations: those that are not deleted, as the later version sends them, their objects flattened: source_*,
//     source_author_*, first_contact_reply_*, sla_*, statistics_*, ai_agent_*, rating and rating_*. An assignee that is
//     nobody is 0. source_subject is empty, not null, where a source has none. URLs have no query: some are signed anew in
//     every answer.
//   - conversation_parts: all parts there ever were, by (conversation_id, id), as they are now. An answer holds the newest
//     500 (Knobs.PartsCap), and readable tells those: what a reader holds of the others is what it saw of them in time. Of
//     a conversation that was born with more it can never have seen the rest. admin_assignee_id and team_assignee_id are nil,
//     0 or an id, as workspace-api 2.10 has it.
//   - conversation_part_tags, conversation_attachments (by part_id, and position or tag_id, with readable),
//     conversation_source_attachments, conversation_contacts, conversation_tags, conversation_teammates,
//     conversation_linked_objects (object_type, object_id), conversation_content_sources (position).
//   - conversation_scorecards, conversation_scorecard_notes, conversation_scorecard_evaluators (reasons is JSON text),
//     conversation_monitor_evaluations: what is sent with include_scorecards and include_monitors. Whoever it was is two
//     columns: reviewer_type and reviewer_id.
//   - deleted_conversations: id, metrics_retained, deleted_at; some were deleted before hour 0.
//   - hitl_events: the events of consultations that have ended, their data flattened, with conversation_id. Texts of redacted
//     conversations are null. readable tells those that an answer holds.
//   - tickets: as the later version sends them; number is the one that people see (ticket_id in the API), ticket_type_* and
//     ticket_state_* are of its type and its state, ticket_attributes is the JSON text that is sent, part_count the number of all its
//     parts. An assignee that is nobody is 0.
//   - ticket_parts, ticket_attachments: as those of conversations, by (ticket_id, id), ticket_id being the ticket's id. previous_ticket_state
//     and ticket_state are null where the part moved nothing, updated_attribute_* where it set nothing; the value is JSON text.
//     ticket_contacts, ticket_linked_objects.
//   - companies: all of them, with user_count, the number of their active contacts: search leaves out those that have none.
//     plan_id, plan_name. company_tags (company_id, tag_id, name), company_segments (company_id, segment_id, name), company_notes.
//   - segments (with count and person_type), tags, admins, teams, subscription_types, data_attributes (archived ones too, as the
//     later version has their types), ticket_types, ticket_states, away_status_reasons: as sent, objects and lists as JSON text.
//   - articles (with statistics as they are now), internal_articles, collections, newsfeeds, news_items, folders,
//     dynamic_contents, data_connectors, data_connector_versions: as the later version sends them, what was removed left out.
//
// # Truth at a time
//
// TruthAt and GET /_oracle/{stream}?at= (UNIX seconds or RFC 3339) tell what Oracle told when that second was over: the logs cut
// there, with the knobs, the workspace's id and the hours lived of then. Truth at a time is what was true at that time: an
// erasure, a redaction or a deletion made later does not change it. Of times before hour 0 nothing is told, as the attributes of the
// population are those of hour 0; nor of times to come. What was noted late, as the entries of AddLogs and the call behind
// SummariseCall, was not there before it was noted.
//
// # Operations
//
// Do carries out an operation by its name, as POST /_emulator/do/NAME does; Operations tells all of them. One that succeeds is told
// to Journal, and Redo does it again at its time: a workspace of the same Config is then the same again. What the other methods of
// Workspace do is not told to the journal.
//
// # Writing
//
// A request that writes is an operation asked for in the API's words: it checks what workspace-api says of it, carries out one operation,
// which the journal is told of, and answers as reading then does. One that is refused changes nothing. What was begun and happens later, as
// a job in bulk does, happens once the clock has reached its time, before anything else is asked or done, and is logged at that time.
//
// # Conversations
//
// What a conversation was born with, its parts too, is drawn from the seed and its number whenever it is asked for;
// the log keeps its opening and what happened since, apart from the log of contacts. Its contacts and authors are as they
// were when it began, but that the survivor of a merge by a request or an operation is a contact in the lead's place; other merges
// leave the lead's id (trap T26). A part that is changed silently tells another assignment, and the conversation is not assigned anew
// by it.
//
// Tickets are the same in all of this, with a log of their own. What requests wrote is in the events as it was written, and nothing
// is drawn beside it: a conversation that a message began, a ticket, a reply, whom an assignment names.
//
// # Lifecycle
//
// A contact is active, archived, blocked, merged, deleted, pending_deletion or permanently_deleted. inactive_since is the
// time of the event, which is also the updated_at of its entry in the list of inactive contacts. Archiving, blocking
// and deleting do not move the contact's own updated_at; un-archiving and un-blocking do or do not, as the caller says,
// and by turns in Live. Merging moves that of the survivor. current_contact_id is the end of the chain of merges, the
// contact itself when it was not merged, nil when the chain is a cycle.
//
// DELETE /contacts/{id} always gives the activity contact.deleted. Three times of four it also gives an entry with status
// pending_deletion, and the oracle's word is that; the fourth time nothing lists the contact, and the word is deleted.
// Knobs.ListDeletes makes it always or never. Asking for or carrying out a permanent deletion gives no activity.
package emulator
