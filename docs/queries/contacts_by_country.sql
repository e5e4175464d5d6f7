-- Which countries do the active contacts come from, and how many of them write to us?
SELECT coalesce(location_country, 'unknown') AS country, count(*) AS contacts, count(*) FILTER (role = 'user') AS users,
       count(last_replied_at) AS ever_replied
FROM contacts GROUP BY country ORDER BY contacts DESC, country LIMIT 20;
