-- relation: sla (view)
-- doc: One row per conversation with a service level: its result from the source, and our times beside it. The API sends no targets, so met is only the source's statement. Compare the times of hits and misses to see the target, with the source's office hours in warehouse.office_hours. Only the current service level of a conversation is known. Columns that end in _office need warehouse.office_hours.
-- key: conversation_id
-- column conversation_id: Id of the conversation.
-- column created_date: Day of the start of the conversation, in the time zone of the warehouse.
-- column team_assignee_id: Team in charge now, not the one that answered. As sent: nobody is 0 in newer API versions, null in older ones.
-- column waiting_since: Start of the contact's open turn, as the source sends it. In conversation_metrics it is computed from the parts, and may differ. Values in the far future occur.
-- column met: True for hit, false for missed; null for active, cancelled and unknown values.
SELECT c.id AS conversation_id, c.sla_name, c.sla_status,
       CASE c.sla_status WHEN 'hit' THEN true WHEN 'missed' THEN false END AS met,
       m.created_at, m.created_date, m.state, m.admin_assignee_id, m.team_assignee_id,
       m.first_human_response_at, m.time_to_first_response_calendar, m.time_to_first_response_office,
       m.median_reply_time, m.median_reply_time_office, m.waiting_since,
       m.first_close_at, m.time_to_first_close, m.time_to_first_close_office, m.time_to_first_close_from_creation
FROM {schema}.conversations c
JOIN {models}.conversation_metrics m ON m.conversation_id = c.id
WHERE c.sla_name IS NOT NULL OR c.sla_status IS NOT NULL
