-- Leads that were merged, with the contact they were merged into.
SELECT id, merged_into_id FROM {schema}.deleted_contacts_all WHERE merged_into_id IS NOT NULL
