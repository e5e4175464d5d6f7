-- How many users and leads were created in each of the last twelve weeks, including contacts that are inactive now?
-- A merged contact is a person who is counted already: contact_identity has the contact it is today.
-- draw: contacts
WITH born AS (
  SELECT current_contact_id, min(created_at) AS first_seen_at, max(role) FILTER (id = current_contact_id) AS role
  FROM contacts_all JOIN contact_identity ON contact_id = id GROUP BY current_contact_id
), weeks AS (
  SELECT date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), first_seen_at))::DATE AS week_date, role FROM born
)
SELECT week_date, count(*) FILTER (role = 'user') AS users, count(*) FILTER (role = 'lead') AS leads, count(*) AS contacts
FROM weeks WHERE week_date IS NOT NULL GROUP BY week_date ORDER BY week_date DESC LIMIT 12;
