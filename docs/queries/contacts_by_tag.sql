-- Which tags do active contacts carry most?
SELECT coalesce(t.name, c.tag_id) AS tag, count(*) AS contacts, round(100.0 * count(*) / (SELECT count(*) FROM contacts), 1) AS percent
FROM contact_tags c JOIN contacts ON contacts.id = c.contact_id LEFT JOIN tags t ON t.id = c.tag_id
GROUP BY c.tag_id, tag ORDER BY contacts DESC, tag, c.tag_id LIMIT 20;
