-- How many contacts are there, and what is the lifecycle of the inactive ones?
SELECT lifecycle, count(*) FILTER (role = 'user') AS users, count(*) FILTER (role = 'lead') AS leads, count(*) AS contacts
FROM contacts_all GROUP BY ALL ORDER BY contacts DESC, lifecycle;
