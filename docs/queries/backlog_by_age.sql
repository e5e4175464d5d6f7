-- How old is the backlog: the conversations that are open or snoozed now?
-- Conversations that the workspace began and nobody has answered are open at the source. Nobody waits in them: they are no backlog, and in sent_and_unanswered.
-- draw: conversations
WITH waiting AS (
  SELECT s.state, (epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(c.created_at)) / 86400 AS days
  FROM models.state_intervals s JOIN conversations c ON c.id = s.conversation_id WHERE s.ended_at IS NULL AND s.state IN ('open', 'snoozed', 'sent')
)
SELECT CASE WHEN days < 1 THEN '1 under a day' WHEN days < 3 THEN '2 one to three days' WHEN days < 7 THEN '3 three to seven days' WHEN days < 30 THEN '4 a week to thirty days'
            ELSE '5 thirty days and more' END AS age, count(*) FILTER (state <> 'sent') AS conversations, count(*) FILTER (state = 'open') AS open_conversations,
       count(*) FILTER (state = 'snoozed') AS snoozed_conversations, round(max(days) FILTER (state <> 'sent'), 1) AS oldest_days, count(*) FILTER (state = 'sent') AS sent_and_unanswered
FROM waiting GROUP BY age ORDER BY age;
