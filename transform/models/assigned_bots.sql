-- relation: assigned_bots (table)
-- doc: One row per bot that some part of a conversation was assigned to. Ids of bots and admins come in the same columns.
-- key: id
-- column id: Id of the bot.
SELECT DISTINCT assigned_to_id AS id
FROM {schema}.conversation_parts
WHERE assigned_to_type = 'bot' AND assigned_to_id IS NOT NULL
ORDER BY id
