-- Contacts that the workspace has erased for good: they come back to no list.
SELECT id FROM {schema}.deleted_contacts_all WHERE status = 'permanently_deleted'
