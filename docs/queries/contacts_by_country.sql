-- Which countries do the active contacts come from, and how many of them have ever written to us?
-- ever_replied goes by the source's last_replied_at, which also knows of conversations that are not stored.
SELECT coalesce(location_country, 'unknown') AS country, count(*) AS contacts, count(*) FILTER (role = 'user') AS users,
       count(last_replied_at) AS ever_replied
FROM contacts GROUP BY country ORDER BY contacts DESC, country LIMIT 20;
