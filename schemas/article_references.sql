-- relation: article_dynamic_contents (view)
-- doc: One row per reference of an article to dynamic content, found in its body in one language. API versions up to 2.16 omit references to blocks.
-- key: article_id, locale, dynamic_content_key
-- column article_id: Id of the article.
-- column locale: Language of the body; null if the article has no default language.
-- column dynamic_content_key: Key of the dynamic content, dynamic_contents.key. It may be deleted there.
-- column content_type: Kind of reference - inline or block.
-- column _synced_at: Time of the commit that last changed the article or its translation.
WITH bodies AS (
  -- The body of the article is in its default language, which is nearly always also a translation.
  SELECT id AS article_id, default_locale AS locale, body, _synced_at FROM {schema}.articles WHERE body LIKE '%dynamic%content%'
  UNION ALL
  SELECT t.article_id, t.locale, t.body, greatest(t._synced_at, a._synced_at)
  FROM {schema}.article_translations t JOIN {schema}.articles a ON a.id = t.article_id WHERE t.body LIKE '%dynamic%content%'
), found AS (
  -- An element with the key in an attribute; in older versions the literal text, for inline content only.
  SELECT article_id, locale, _synced_at,
    unnest(regexp_extract_all(body, '(?i)<[a-z][^>]*\sdata-[a-z-]*dynamic-content-key\s*=[^>]*>|#\{\{dynamic_content:[^{}]+\}\}')) AS reference
  FROM bodies
)
SELECT article_id, locale,
  CASE WHEN starts_with(reference, '#') THEN regexp_extract(reference, ':(.*)\}\}', 1)
       ELSE regexp_extract(reference, '(?i)dynamic-content-key\s*=\s*["'']?([^"''\s>]+)', 1) END AS dynamic_content_key,
  min(CASE WHEN regexp_matches(reference, '(?i)^<div\b') THEN 'block' ELSE 'inline' END) AS content_type,
  max(_synced_at) AS _synced_at
FROM found
GROUP BY 1, 2, 3
