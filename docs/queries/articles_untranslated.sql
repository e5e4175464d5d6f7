-- How many published articles are there in each language of the help centers, and how many are missing?
-- draw: missing
WITH published AS (
  SELECT id FROM articles WHERE state = 'published'
), languages AS (
  SELECT locale FROM help_center_locales UNION SELECT locale FROM article_translations WHERE state = 'published'
), translated AS (
  SELECT t.locale, t.article_id FROM article_translations t JOIN published p ON p.id = t.article_id WHERE t.state = 'published'
)
SELECT l.locale, count(t.article_id) AS articles, (SELECT count(*) FROM published) - count(t.article_id) AS missing
FROM languages l LEFT JOIN translated t ON t.locale = l.locale GROUP BY l.locale ORDER BY articles DESC, l.locale;
