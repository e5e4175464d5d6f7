-- relation: contact_history (view)
-- doc: One row per contact; with history, one per state. Archived, blocked, merged and deleted contacts are not active.
-- key: id, _fivetran_start
-- column admin_id from owner_id: Teammate in charge of the contact.
SELECT id, role, name, email, owner_id AS admin_id, unsubscribed_from_emails,
       timezone('UTC', created_at) AS created_at, timezone('UTC', updated_at) AS updated_at, timezone('UTC', signed_up_at) AS signed_up_at,
       timezone('UTC', last_contacted_at) AS last_contacted_at, timezone('UTC', last_replied_at) AS last_replied_at,
       timezone('UTC', last_email_opened_at) AS last_email_opened_at, timezone('UTC', last_email_clicked_at) AS last_email_clicked_at, {state}
FROM {states of contacts}
