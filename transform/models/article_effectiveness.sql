-- relation: article_effectiveness (view)
-- doc: One row per article of the help center, with the source's statistics of its readers, and the number of AI agent answers from it.
-- key: article_id
-- column article_id: Id of the article.
-- column conversations: Number of conversations that began from it, by the source's count.
-- column reactions_per_view: Reactions over views; null for an article without views.
-- column conversations_per_view: Conversations over views; null for an article without views.
-- column happy_reaction_percentage: Share of happy reactions, in percent; null without reactions.
-- column neutral_reaction_percentage: Share of neutral reactions, in percent; null without reactions.
-- column sad_reaction_percentage: Share of sad reactions, in percent; null without reactions.
-- column ai_conversations: Number of conversations in which the AI agent answered from it, in any language; 0 without any. They are found by the article's address: an article without one, such as a draft, has 0.
-- column ai_resolved: Number of those conversations with resolved true in ai_resolution.
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
