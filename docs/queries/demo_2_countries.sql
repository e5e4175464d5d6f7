-- Where do the active contacts come from, and how many tags do they carry?
SELECT location_country AS country, count(*) AS contacts, round(avg(coalesce(tags, 0)), 2) AS tags_each
FROM contacts LEFT JOIN (SELECT contact_id, count(*) AS tags FROM contact_tags GROUP BY ALL) ON contact_id = id
GROUP BY ALL ORDER BY contacts DESC, country LIMIT 5;
