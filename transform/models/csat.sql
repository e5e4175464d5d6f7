-- relation: csat (view)
-- doc: One row per conversation whose contact was asked for a rating or gave one. The response rate is answered over requested, csat satisfied over answered. What the contact thinks of the AI agent apart from that is in ai_resolution.
-- key: conversation_id
-- column conversation_id: The conversation.
-- column contact_id: Contact who rated, as the survivor of its merges; null where the source names none.
-- column rated_party: Who was rated - admin, ai or workflow; a workflow where one asked and no teammate took part. As sent where it is another; null where the source names none, as for workflows in API versions up to 2.16.
-- column rated_id: Id of who was rated, an admin or a workflow by rated_party. An admin who was deleted keeps it: admins_all has the name.
-- column requested: A rating was asked for. True in every row, because one that was given was asked for.
-- column answered: The contact gave one; false for a rating requested and not given.
-- column rating: Rating by the contact, 1 to 5; null where it was requested and not given.
-- column satisfied: The rating is 4 or 5, which is a convention; null where there is none.
-- column rating_date: Day of rating_created_at.
-- column created_date: Day on which the conversation began.
-- column _synced_at: Commit that last changed the conversation, or who the contact is.
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
