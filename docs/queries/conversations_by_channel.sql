-- Through which channels do conversations come, and how are they rated?
SELECT source_type AS channel, count(*) AS conversations, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent,
       count(rating) AS rated, round(avg(rating), 2) AS mean_rating
FROM conversations GROUP BY channel ORDER BY conversations DESC, channel;
