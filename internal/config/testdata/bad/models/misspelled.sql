-- relation: misspelled (view)
-- doc: One row per contact.
SELECT id, timezone({time_zone}, created_at) AS at, regexp_replace(name, '{x}', '') FROM {schma}.contacts
