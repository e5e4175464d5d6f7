-- relation: reply_pairs (view)
-- doc: One row per wait of the contact: from the first message of his turn, the first message of the conversation among them where he began it, to the next answer. An answer is a comment, or an assignment with a body by an admin; a note is none. A close ends the turn without an answer, and what the contact writes after it is another wait. Redacted messages count.
-- key: conversation_id, asked_part_id
-- column conversation_id: The conversation.
-- column asked_part_id: Part that the wait begins with; source where that is the first message of the conversation.
-- column asked_at: When the wait began.
-- column asked_date: Day on which it began, in the time zone of the warehouse.
-- column answered_part_id: Part that answered; null without an answer.
-- column answered_at: When the answer came; null without one.
-- column answered_by: Who answered: human (an admin), ai (whatever comes from the AI agent or is an answer of it), workflow (another bot, or a team without a name); null without an answer.
-- column answered_by_id: Id of the author of the answer, an admin's where answered_by is human, who may have been deleted since; null without an answer.
-- column closed_at: When a close of whatever author ended the wait without an answer; null where it was answered, or still lasts.
-- column reply_time_calendar: Seconds from asked_at to answered_at; null without an answer.
-- column reply_time_office: The same with time outside the office hours taken out; null without an answer, and where there are no office hours.
WITH said AS (
  SELECT id AS conversation_id, created_at AS happened_at, '' AS part_id, 'contact' AS who, NULL AS author_id
  FROM {schema}.conversations WHERE source_author_type IN ('user', 'lead')
  UNION ALL
  SELECT conversation_id, created_at, id,
         CASE WHEN part_type = 'close' THEN 'close'
              WHEN author_type IN ('user', 'lead') THEN 'contact'
              WHEN from_ai_agent OR is_ai_answer THEN 'ai'
              WHEN author_type = 'admin' THEN 'human'
              WHEN author_type IN ('bot', 'team') THEN 'workflow' END, author_id
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
  WHERE part_type IN ('comment', 'close')
     OR part_type IN ('assignment', 'assign_and_reopen') AND author_type = 'admin' AND (body <> '' OR redacted)
), waits AS (
  SELECT conversation_id, part_id, happened_at,
         lead(CASE WHEN who <> 'contact' THEN {'part_id': part_id, 'happened_at': happened_at, 'who': who, 'author_id': author_id} END IGNORE NULLS) OVER ordered AS next
  FROM said WHERE who IS NOT NULL
  WINDOW ordered AS (PARTITION BY conversation_id ORDER BY happened_at, length(part_id), part_id)
  QUALIFY said.who = 'contact' AND lag(said.who) OVER ordered IS DISTINCT FROM 'contact'
), pairs AS (
  SELECT conversation_id, part_id, happened_at AS asked_at, next.who = 'close' AS closed, next.happened_at AS next_at,
         CASE WHEN next.who <> 'close' THEN next.happened_at END AS answered_at, next.part_id AS answered_part_id, next.who AS answered_by, next.author_id AS answered_by_id
  FROM waits
)
SELECT p.conversation_id, CASE WHEN p.part_id = '' THEN 'source' ELSE p.part_id END AS asked_part_id, p.asked_at,
       timezone({timezone}, p.asked_at)::DATE AS asked_date,
       CASE WHEN NOT p.closed THEN p.answered_part_id END AS answered_part_id, p.answered_at,
       CASE WHEN NOT p.closed THEN p.answered_by END AS answered_by,
       CASE WHEN NOT p.closed THEN p.answered_by_id END AS answered_by_id,
       CASE WHEN p.closed THEN p.next_at END AS closed_at,
       (epoch(p.answered_at) - epoch(p.asked_at))::BIGINT AS reply_time_calendar,
       ((t.open_before + epoch(least(p.answered_at, t.ends_at)) - epoch(t.opens_at))
        - (f.open_before + epoch(least(p.asked_at, f.ends_at)) - epoch(f.opens_at)))::BIGINT AS reply_time_office
FROM pairs p
ASOF LEFT JOIN {models}.office_hours f ON p.asked_at >= f.opens_at
ASOF LEFT JOIN {models}.office_hours t ON p.answered_at >= t.opens_at
