-- relation: conversation_contact_history (view)
-- doc: One row per contact of a conversation.
-- key: conversation_id, contact_id
-- column conversation_updated_at from updated_at: Last change of the conversation.
SELECT m.conversation_id, m.contact_id, timezone('UTC', c.updated_at) AS conversation_updated_at, {state of c with m}
FROM {schema}.conversation_contacts m LEFT JOIN {current conversations} c ON c.id = m.conversation_id
