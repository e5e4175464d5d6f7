-- Conversations that were deleted at the source and are not marked gone here. Each is asked for by id: only its 404 marks it. The
-- stored ones alone: of most that were deleted nothing was ever read.
SELECT c.id FROM {schema}.conversations c JOIN {schema}.deleted_conversations d ON d.id = c.id
ORDER BY 1
