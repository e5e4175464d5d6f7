-- relation: article_effectiveness (view)
-- doc: One row per article of the help center, with what its readers did, from its stored statistics, and how often the AI agent answered from it.
-- key: article_id
-- column article_id: The article.
-- column conversations: How many conversations began from it, as the source counts them.
-- column reactions_per_view: Reactions over views; null where it was never opened.
-- column conversations_per_view: Conversations over views; null where it was never opened.
-- column happy_reaction_percentage: How many of its reactions were happy, of 100; null where there are none.
-- column neutral_reaction_percentage: How many of its reactions were neither, of 100; null where there are none.
-- column sad_reaction_percentage: How many of its reactions were sad, of 100; null where there are none.
-- column ai_conversations: Conversations in which answers of the AI agent were made of it, in any language, each once; 0 where none was. They are found by its address: an article without one, such as a draft, has none.
-- column ai_resolved: How many of those came to a resolution, as resolved of ai_resolution.
WITH addresses AS (
  SELECT id AS article_id, url FROM {schema}.articles WHERE url IS NOT NULL
  UNION
  SELECT article_id, url FROM {schema}.article_translations WHERE url IS NOT NULL
), quotes AS (
  SELECT DISTINCT a.article_id, s.conversation_id
  FROM {schema}.conversation_content_sources s JOIN addresses a ON a.url = s.url
  WHERE s.content_type = 'article'
), quoted AS (
  SELECT q.article_id, count(*) AS ai_conversations, count(*) FILTER (r.resolved) AS ai_resolved
  FROM quotes q JOIN {models}.ai_resolution r ON r.conversation_id = q.conversation_id -- not deleted ones
  GROUP BY q.article_id
)
SELECT a.id AS article_id, a.title, a.state, a.author_id, a.url, a.parent_id, a.parent_type, a.created_at, a.updated_at,
       a.views, a.conversations, a.conversations / nullif(a.views, 0) AS conversations_per_view,
       a.reactions, a.reactions / nullif(a.views, 0) AS reactions_per_view,
       CASE WHEN a.reactions > 0 THEN a.happy_reaction_percentage END AS happy_reaction_percentage,
       CASE WHEN a.reactions > 0 THEN a.neutral_reaction_percentage END AS neutral_reaction_percentage,
       CASE WHEN a.reactions > 0 THEN a.sad_reaction_percentage END AS sad_reaction_percentage,
       coalesce(q.ai_conversations, 0) AS ai_conversations, coalesce(q.ai_resolved, 0) AS ai_resolved
FROM {schema}.articles a LEFT JOIN quoted q ON q.article_id = a.id
