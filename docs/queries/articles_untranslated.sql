-- Which languages do the published articles have, and how many articles are missing in each?
WITH published AS (
  SELECT id FROM articles WHERE state = 'published'
)
SELECT t.locale, count(*) AS articles, (SELECT count(*) FROM published) - count(*) AS missing
FROM article_translations t JOIN published p ON p.id = t.article_id WHERE t.state = 'published' GROUP BY t.locale ORDER BY articles DESC, t.locale;
