-- relation: conversation_tag_history (view)
-- doc: One row per tag of a conversation.
-- key: conversation_id, tag_id
-- column conversation_updated_at from updated_at: Last change of the conversation.
SELECT t.conversation_id, t.tag_id, timezone('UTC', c.updated_at) AS conversation_updated_at, {state of c with t}
FROM {schema}.conversation_tags t LEFT JOIN {current conversations} c ON c.id = t.conversation_id
