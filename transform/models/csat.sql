-- relation: csat (view)
-- doc: One row per conversation with a rating that was requested or given. Response rate: answered over requested. csat: satisfied over answered. Ratings of the AI agent alone are in ai_resolution.
-- key: conversation_id
-- column conversation_id: Id of the conversation.
-- column contact_id: Contact who rated, as the survivor of merges; null if the source names none.
-- column rated_party: Rated party - admin, ai or workflow; workflow if a workflow asked and no teammate took part. Other values are as sent. Null if the source names none, as for workflows in API versions up to 2.16.
-- column rated_id: Id of the rated admin or workflow, by rated_party. A deleted admin keeps it: teammates has the name.
-- column requested: A rating was requested. True in every row, because a rating that was given was requested.
-- column answered: True if the contact gave a rating; false if it was requested and not given.
-- column rating: Rating by the contact, 1 to 5; null if it was requested and not given.
-- column satisfied: The rating is 4 or 5, which is a convention; null without a rating.
-- column rating_date: Day of rating_created_at.
-- column created_date: Day of the start of the conversation.
-- column _synced_at: Time of the commit that last changed the conversation or the identity of the contact.
SELECT c.id AS conversation_id, coalesce(i.current_contact_id, c.rating_contact_id) AS contact_id,
       CASE WHEN c.rating_teammate_type IN ('ai', 'ai_agent', 'bot') THEN 'ai' ELSE c.rating_teammate_type END AS rated_party,
       c.rating_teammate_id AS rated_id,
       true AS requested, c.rating IS NOT NULL AS answered, c.rating, c.rating >= 4 AS satisfied, c.rating_remark,
       c.rating_created_at, c.rating_updated_at,
       timezone({timezone}, c.rating_created_at)::DATE AS rating_date, timezone({timezone}, c.created_at)::DATE AS created_date,
       greatest(c._synced_at, i._synced_at) AS _synced_at
FROM {schema}.conversations c LEFT JOIN {schema}.contact_identity i ON i.contact_id = c.rating_contact_id
-- The source sends an object of nulls as well as none where nobody asked.
WHERE c.rating IS NOT NULL OR c.rating_created_at IS NOT NULL OR c.rating_teammate_type IS NOT NULL OR c.rating_contact_id IS NOT NULL
