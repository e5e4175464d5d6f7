// Package emulator is a customer-messaging workspace in memory, served over HTTP, with an oracle that computes its truth.
//
// The truth is an append-only log of events. The server follows it event by event, with the delays and faults of the knobs. The oracle
// replays it from the beginning with code of its own. The population at hour 0 is a function of the seed. Simulated hours are a function
// of the seed and the hour's number, and of what was done before.
//
// # Rows of the oracle
//
// Oracle(stream) and GET /_oracle/{stream} return the rows that a perfect reader has once the index has caught up. Null is nil, ids are
// text, and times are UNIX seconds as int64. An empty text is null.
//
//   - contacts: active contacts. The fields of the document by their names, location.* as location_country, location_region,
//     location_city, custom_attributes as the JSON text that is sent. email_verified is always there, though versions up
//     to 2.16 do not send it. owner_id is an int64; some are beyond 2^53.
//   - contact_tags (contact_id, tag_id, url), contact_notes (contact_id, note_id, url), contact_companies (contact_id, company_id),
//     contact_subscriptions (contact_id, subscription_id), contact_social_profiles (contact_id, position, name, url): of active contacts,
//     including those beyond the ten that a contact's answer contains.
//   - contact_note_texts (contact_id, note_id, body, created_at, author_id): the same notes with their content.
//   - deleted_contacts: entries of the list of inactive contacts as sent: id, role, status, updated_at, merged_into_id,
//     external_id, email (HTML-escaped as sent).
//   - contact_activities: id, event_type, contact_id, external_id, role, merge_source_id, merge_target_id, failure_reason,
//     created_at. contact_id of a merge is its source.
//   - contact_lifecycle: every contact that ever existed: id, lifecycle, inactive_since, merged_into_id, current_contact_id.
//     contacts_deleted: id, how, deleted_at of those that were deleted, or whose deletion was requested.
//   - calls: those that the list has now, with addresses of media without their query. call_transcripts (call_id, conversation_id,
//     contact_id, transcript_status): of ended calls that search does not omit. call_transcript_lines (call_id, position, contact_id,
//     speaker, text, start_seconds, end_seconds).
//   - admin_activity_logs: all entries, in the form of the versions from 2.14 on; metadata is the JSON text that is sent.
//   - reporting_<dataset>: rows of a dataset of the reporting exports, by the ids of its attributes, all of them text, and
//     _time. They begin a year before hour 0, and each simulated hour adds some. Some come days late, and some change up to thirty days
//     later. ReportRow and ReportChange add and change rows explicitly.
//   - conversations: those that are not deleted, in the form of the later version, with their objects flattened: source_*,
//     source_author_*, first_contact_reply_*, sla_*, statistics_*, ai_agent_*, rating and rating_*. An unassigned assignee is 0.
//     source_subject is empty, not null, where a source has none. URLs have no query: some are signed anew in every answer.
//   - conversation_parts: all parts that ever existed, by (conversation_id, id), in their current state. readable marks the newest
//     500 (Knobs.PartsCap), which an answer contains. A reader has older parts only in the state in which it read them in time. It can
//     never have read the oldest parts of a conversation that was created with more. admin_assignee_id and team_assignee_id are nil,
//     0 or an id (workspace-api 2.10).
//   - conversation_part_tags, conversation_attachments (by part_id, and position or tag_id, with readable),
//     conversation_source_attachments, conversation_contacts, conversation_tags, conversation_teammates,
//     conversation_linked_objects (object_type, object_id), conversation_content_sources (position).
//   - conversation_scorecards, conversation_scorecard_notes, conversation_scorecard_evaluators (reasons is JSON text),
//     conversation_monitor_evaluations: what is sent with include_scorecards and include_monitors. Each reviewer is two
//     columns: reviewer_type and reviewer_id.
//   - deleted_conversations: id, metrics_retained, deleted_at; some were deleted before hour 0.
//   - hitl_events: the events of ended consultations, their data flattened, with conversation_id. Texts of redacted
//     conversations are null. readable marks the events that an answer contains.
//   - tickets: in the form of the later version. number is the one that people see (ticket_id in the API), ticket_type_* and
//     ticket_state_* describe its type and its state, ticket_attributes is the JSON text that is sent, part_count the number of all
//     its parts. An unassigned assignee is 0.
//   - ticket_parts, ticket_attachments: like those of conversations, by (ticket_id, id). previous_ticket_state and ticket_state are null
//     where the part changed no state, updated_attribute_* where it set no attribute; the value is JSON text.
//     ticket_contacts, ticket_linked_objects.
//   - companies: all of them, with user_count, the number of their active contacts: search omits those that have none.
//     plan_id, plan_name. company_tags (company_id, tag_id, name), company_segments (company_id, segment_id, name), company_notes.
//   - segments (with count and person_type), tags, admins, teams, subscription_types, data_attributes (including archived ones, with the
//     types of the later version), ticket_types, ticket_states, away_status_reasons, help_centers, brands, macros,
//     content_snippets, conversation_data_attributes: as sent, objects and lists as JSON text.
//   - handling_events (conversation_id, happened_at, event_type, reason, teammate_*), side_conversations (conversation_id, id, part_count),
//     side_conversation_parts, side_conversation_attachments: of the conversations that are not deleted.
//   - articles (with current statistics), internal_articles, collections, newsfeeds, news_items, folders,
//     dynamic_contents, data_connectors, data_connector_versions: in the form of the later version, without removed items.
//
// # Life by the clock
//
// With Config.Live hours pass by the clock, from Start on. An hour's events are planned when it begins, and each happens before the first
// request or operation that comes at its time or later. So nothing of the future is in the logs, and what happens does not depend on who asks.
//
// # Truth at a time
//
// TruthAt and GET /_oracle/{stream}?at= (UNIX seconds or RFC 3339) return what Oracle returned at the end of that second: the logs are cut
// there, and the knobs, the workspace's id and the simulated hours are those of that time. A later erasure, redaction or deletion does not
// change it. There is no truth before hour 0, as the attributes of the population are those of hour 0, and none of the future. Records
// that were logged late, such as the entries of AddRandomActions and the call behind SummariseCall, are missing before they were logged.
//
// # Operations
//
// RunOperation carries out an operation by its name, like POST /_emulator/do/NAME; docs/internals/emulator-controls.md lists all of them.
// The function of SetJournal receives each operation that succeeds, and ReplayOperation repeats it at its time. A workspace of the same
// Config then has the same state. Changes by other methods of Workspace are in no journal.
//
// # Writing
//
// A request that writes is an operation in the terms of the API. It checks what workspace-api requires, carries out one operation, which
// the journal receives, and answers like a read. A refused request changes nothing. An action that happens later, such as a bulk job, runs
// once the clock has reached its time, before any other request or operation, and is logged at that time.
//
// # Conversations
//
// The initial content of a conversation, including its initial parts, is drawn from the seed and its number on each question. A log of its
// own, separate from that of contacts, has the opening and the later events. The contacts and authors keep their state of the beginning.
// When a request or an operation merges a contact, the survivor takes its place among the contacts; other merges keep the lead's id (trap
// T26). A silent change of a part changes only the assignment that the part shows, not the assignees of the conversation.
//
// Tickets work the same way, with a log of their own. What requests wrote is stored in the events as it was written, and nothing is drawn
// besides it: a conversation that a message began, a ticket, a reply, the assignees of an assignment.
//
// # Lifecycle
//
// A contact is active, archived, blocked, merged, deleted, pending_deletion or permanently_deleted. inactive_since is the time of the
// event, which is also the updated_at of its entry in the list of inactive contacts. Archiving, blocking and deleting do not move the
// contact's own updated_at. For un-archiving and un-blocking the caller decides, and SimulateHours alternates. Merging moves the
// survivor's. current_contact_id is the end of the chain of merges: the contact itself when it was not merged, nil in a cycle.
//
// DELETE /contacts/{id} always adds the activity contact.deleted. Three times of four it also adds an entry with status pending_deletion
// to the list, and the oracle has that status. The fourth time no list has the contact, and its status is deleted. Knobs.ListDeletes
// makes the entry certain or impossible. Requesting or carrying out a permanent deletion adds no activity.
package emulator
