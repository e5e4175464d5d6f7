-- relation: conversation_history (view)
-- doc: One row per conversation, also deleted ones; with history, one per state.
-- key: id, _fivetran_start
-- column assignee_id from admin_assignee_id: Admin or bot in charge; null where nobody is, which newer API versions send as 0.
-- column assignee_type: Always null. The API no longer sends it.
-- column conversation_rating_value from rating: Rating by the contact, 1 to 5.
-- column conversation_rating_remark from rating_remark: Remark with the rating.
SELECT id, timezone('UTC', created_at) AS created_at, timezone('UTC', updated_at) AS updated_at, state, read,
       nullif(admin_assignee_id, '0') AS assignee_id, NULL::VARCHAR AS assignee_type,
       rating AS conversation_rating_value, rating_remark AS conversation_rating_remark,
       timezone('UTC', first_contact_reply_created_at) AS first_contact_reply_created_at, first_contact_reply_type,
       sla_name, sla_status, timezone('UTC', snoozed_until) AS snoozed_until, timezone('UTC', waiting_since) AS waiting_since,
       source_author_id, source_author_type, source_body, source_delivered_as, source_subject, source_type, {state}
FROM {states of conversations}
