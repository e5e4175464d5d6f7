-- relation: unread_too (view)
-- doc: One row.
SELECT 1 FROM {schema}.deleted_conversations, {schema}.conversation_parts
