-- Stored conversations that were deleted at the source and are not soft-deleted yet. Each is read by id: only a 404 makes the
-- soft delete. Most deleted conversations were never read, so only stored ones are requested.
SELECT c.id FROM {schema}.conversations c JOIN {schema}.deleted_conversations d ON d.id = c.id
ORDER BY 1
