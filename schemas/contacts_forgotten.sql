-- Contacts that the workspace has permanently erased. No list returns them again.
SELECT id FROM {schema}.deleted_contacts_all WHERE status = 'permanently_deleted'
