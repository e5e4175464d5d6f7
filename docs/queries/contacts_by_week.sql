-- How many users and leads were created in each of the last twelve weeks, including contacts that are inactive now?
-- A merged contact is a person who is counted already: contact_identity has the contact it is today.
-- draw: contacts
WITH weeks AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 WEEK, newest, INTERVAL 1 WEEK))::DATE AS week_date
  FROM (SELECT date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
), born AS (
  SELECT current_contact_id, min(created_at) AS first_seen_at, max(role) FILTER (id = current_contact_id) AS role
  FROM contacts_all JOIN contact_identity ON contact_id = id GROUP BY current_contact_id
)
SELECT w.week_date, count(*) FILTER (b.role = 'user') AS users, count(*) FILTER (b.role = 'lead') AS leads, count(b.current_contact_id) AS contacts
FROM weeks w LEFT JOIN born b ON date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), b.first_seen_at)) = w.week_date
GROUP BY w.week_date ORDER BY w.week_date DESC;
