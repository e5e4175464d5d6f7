-- relation: sla (view)
-- doc: One row per conversation to which a service level applies: what the source says became of it, and our own times beside. The API tells no targets, so met is the source's word alone; times of hits and misses side by side show where the target lies. It tells of the service level that applies now: earlier ones of the same conversation are not known.
-- key: conversation_id
-- column conversation_id: The conversation.
-- column created_date: Day on which the conversation began, in the time zone of the warehouse.
-- column met: True for hit, false for missed; null while it is active, when it was cancelled, and for whatever else the source may say.
SELECT c.id AS conversation_id, c.sla_name, c.sla_status,
       CASE c.sla_status WHEN 'hit' THEN true WHEN 'missed' THEN false END AS met,
       m.created_at, m.created_date, m.state, m.admin_assignee_id, m.team_assignee_id,
       m.first_human_response_at, m.time_to_first_response_calendar, m.time_to_first_response_office,
       m.median_reply_time, m.median_reply_time_office, m.waiting_since,
       m.first_close_at, m.time_to_first_close, m.time_to_first_close_office, m.time_to_first_close_from_creation
FROM {schema}.conversations c
JOIN {models}.conversation_metrics m ON m.conversation_id = c.id
WHERE c.sla_name IS NOT NULL OR c.sla_status IS NOT NULL
