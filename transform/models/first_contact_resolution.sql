-- relation: first_contact_resolution (view)
-- doc: One row per conversation: whether it was resolved at the first contact. That means answered by an admin or the AI agent, closed, never reopened, and none of its contacts began a new one within 7 days of the close. Contacts are survivors. Rate: avg(resolved::INTEGER).
-- key: conversation_id
-- column conversation_id: Id of the conversation.
-- column first_closed_at: Time of the first close; null if it was never closed.
-- column reopened: It became open again after a close. An assignment that skips reopening on a closed conversation does not count. Null if it was never closed.
-- column next_conversation_at: Start of the next conversation that one of its contacts, as survivors, began after the close, at any later time; null without one. Conversations that the workspace or somebody else began do not count.
-- column resolved_by: Who answered the contact: human if an admin did, otherwise ai, otherwise workflow. Null if nobody did.
-- column resolved: True if an admin or the AI agent answered, it is closed and was never reopened, and nobody returned within 7 days. False if nobody or only a workflow answered, it was reopened, or a contact returned. Null if it was never closed, if the contact never wrote, and until the 7 days are over.
WITH closed AS (
  SELECT conversation_id, min(began_at) FILTER (state = 'closed') AS first_closed_at, bool_or(reopened) AS reopened
  FROM {models}.state_intervals GROUP BY conversation_id
), spoke AS (
  SELECT conversation_id, bool_or(author_kind = 'contact') AS wrote,
         CASE WHEN bool_or(answers AND author_kind = 'human') THEN 'human' WHEN bool_or(answers AND author_kind = 'ai') THEN 'ai'
              WHEN bool_or(answers AND author_kind = 'workflow') THEN 'workflow' END AS resolved_by
  FROM (
    -- Parts of one second are in the order of their ids.
    SELECT *, {'sent_at': sent_at, 'length': CASE WHEN part_id <> 'source' THEN length(part_id) ELSE 0 END, 'part_id': part_id} AS place,
           part_id <> 'source' AND place > min(CASE WHEN author_kind = 'contact' THEN place END) OVER (PARTITION BY conversation_id) AS answers
    FROM {models}.conversation_messages
  ) GROUP BY conversation_id
), people AS (
  SELECT c.conversation_id, coalesce(i.current_contact_id, c.contact_id) AS survivor_id
  FROM {schema}.conversation_contacts c LEFT JOIN {schema}.contact_identity i ON i.contact_id = c.contact_id
), begun AS (
  SELECT coalesce(i.current_contact_id, c.source_author_id) AS survivor_id, c.created_at
  FROM {schema}.conversations c LEFT JOIN {schema}.contact_identity i ON i.contact_id = c.source_author_id WHERE c.source_author_type IN ('user', 'lead')
), returned AS (
  SELECT p.conversation_id, min(b.created_at) AS next_conversation_at
  FROM (SELECT people.*, closed.first_closed_at FROM people JOIN closed ON closed.conversation_id = people.conversation_id WHERE closed.first_closed_at IS NOT NULL) p
  ASOF JOIN begun b ON b.survivor_id = p.survivor_id AND p.first_closed_at < b.created_at
  GROUP BY p.conversation_id
), horizon AS (
  SELECT coalesce(max(_synced_at), max(updated_at)) AS until FROM {schema}.conversations
)
SELECT c.id AS conversation_id, closed.first_closed_at, CASE WHEN closed.first_closed_at IS NOT NULL THEN closed.reopened END AS reopened, returned.next_conversation_at,
       spoke.resolved_by,
       CASE WHEN closed.first_closed_at IS NULL OR NOT coalesce(spoke.wrote, false) THEN NULL
            WHEN closed.reopened OR c.state <> 'closed' OR coalesce(spoke.resolved_by, 'workflow') = 'workflow'
              OR returned.next_conversation_at <= closed.first_closed_at + INTERVAL 168 HOURS THEN false
            WHEN closed.first_closed_at + INTERVAL 168 HOURS <= horizon.until THEN true END AS resolved
FROM {schema}.conversations c
LEFT JOIN closed ON closed.conversation_id = c.id
LEFT JOIN spoke ON spoke.conversation_id = c.id
LEFT JOIN returned ON returned.conversation_id = c.id
CROSS JOIN horizon
