-- relation: article_dynamic_contents (view)
-- doc: One row dynamic content that an article refers to in a language, as found in its body. API versions up to 2.16 leave out references to blocks.
-- column article_id: The article.
-- column locale: Language of the body that refers to it; null where an article does not say which its default is.
-- column dynamic_content_key: The dynamic content, dynamic_contents.key; one that is not there any more may still be referred to.
-- column content_type: How it is put into the body - inline or block.
-- column _synced_at: Commit that last changed this row's body, or another part of that.
WITH bodies AS (
  -- The article's own body is that of its default language, which is nearly always among the translations as well.
  SELECT id AS article_id, default_locale AS locale, body, _synced_at FROM {schema}.articles WHERE body LIKE '%dynamic%content%'
  UNION ALL
  SELECT t.article_id, t.locale, t.body, greatest(t._synced_at, a._synced_at)
  FROM {schema}.article_translations t JOIN {schema}.articles a ON a.id = t.article_id WHERE t.body LIKE '%dynamic%content%'
), found AS (
  -- An element with the key in an attribute; before that the literal text, of what is inline only.
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
