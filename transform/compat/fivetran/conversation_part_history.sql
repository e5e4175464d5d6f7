-- relation: conversation_part_history (view)
-- doc: One row per part of a conversation. Parts of deleted conversations are not active.
-- key: conversation_id, id
-- column id: Part id. Unique within its conversation only.
-- column created_at: Time of the part.
-- column updated_at: Last change of the part; not every change moves it.
-- column conversation_updated_at from updated_at: Last change of the conversation.
SELECT p.id, p.conversation_id, p.part_type, p.body, p.author_id, p.author_type, p.assigned_to_id, p.assigned_to_type,
       timezone('UTC', p.created_at) AS created_at, timezone('UTC', p.updated_at) AS updated_at,
       timezone('UTC', c.updated_at) AS conversation_updated_at, {state of c with p}
FROM {schema}.conversation_parts p LEFT JOIN {current conversations} c ON c.id = p.conversation_id
