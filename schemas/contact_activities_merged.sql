-- Leads that were merged, with the contact they were merged into.
SELECT merge_source_id, merge_target_id FROM {schema}.contact_activities
WHERE event_type = 'contact.merged' AND merge_source_id IS NOT NULL AND merge_target_id IS NOT NULL
