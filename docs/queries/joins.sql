-- Joins that are often wrong on these tables. Each stands here twice: wrong and right.
-- Run all of them: duckdb -readonly data/warehouse.duckdb < docs/queries/joins.sql

-- 1. How many people did we talk to?
-- wrong: conversations keep the id of a contact that was merged later, and contacts no longer has it. People who were merged,
-- archived or deleted are missing.
SELECT 'people talked to' AS question, count(DISTINCT c.contact_id) AS answer
FROM conversation_contacts c JOIN contacts p ON p.id = c.contact_id;
-- right: contact_identity has every known contact id, with the contact it is today.
SELECT 'people talked to' AS question, count(DISTINCT i.current_contact_id) AS answer
FROM conversation_contacts c JOIN contact_identity i ON i.contact_id = c.contact_id;

-- 2. How many parts and how many tags do conversations have?
-- wrong: two lists of the same conversation multiply: each part is counted once per tag, each tag once per part.
SELECT 'parts of tagged conversations' AS question, count(p.id) AS answer, count(t.tag_id) AS tags
FROM conversations c JOIN conversation_parts p ON p.conversation_id = c.id JOIN conversation_tags t ON t.conversation_id = c.id;
-- right: count each list by conversation before the join.
WITH parts AS (SELECT conversation_id, count(*) AS n FROM conversation_parts GROUP BY conversation_id),
     tagged AS (SELECT conversation_id, count(*) AS n FROM conversation_tags GROUP BY conversation_id)
SELECT 'parts of tagged conversations' AS question, sum(parts.n)::BIGINT AS answer, sum(tagged.n)::BIGINT AS tags
FROM conversations c JOIN parts ON parts.conversation_id = c.id JOIN tagged ON tagged.conversation_id = c.id;

-- 3. How many conversations are with people of companies?
-- wrong: a conversation belongs to every company of each contact, so the sum over companies counts it several times.
WITH by_company AS (
  SELECT p.company_id, count(*) AS n FROM conversation_contacts c JOIN contact_companies p ON p.contact_id = c.contact_id GROUP BY p.company_id
)
SELECT 'conversations with companies' AS question, sum(n)::BIGINT AS answer FROM by_company;
-- right: count distinct conversations. The numbers of single companies do not add up to this total.
SELECT 'conversations with companies' AS question, count(DISTINCT c.conversation_id) AS answer
FROM conversation_contacts c JOIN contact_companies p ON p.contact_id = c.contact_id;

-- 4. How many contacts are there?
-- wrong: tables named …_all keep soft-deleted rows: merged, archived and deleted contacts, deleted conversations, calls, articles.
SELECT 'contacts' AS question, count(*) AS answer FROM contacts_all;
-- right: the relation without _all has only current rows. To select the others, use lifecycle for contacts and _gone_at elsewhere.
SELECT 'contacts' AS question, count(*) AS answer FROM contacts;

-- 5. In what share of conversations did a teammate take over from the AI agent?
-- wrong: a WHERE on the right side of a LEFT JOIN removes rows without a match, so the denominator has only matches.
SELECT 'conversations, taken over' AS question, count(DISTINCT c.id) AS answer, count(DISTINCT h.conversation_id) AS taken_over
FROM conversations c LEFT JOIN consultations h ON h.conversation_id = c.id WHERE h.outcome = 'taken_over';
-- right: put the condition into the join.
SELECT 'conversations, taken over' AS question, count(DISTINCT c.id) AS answer, count(DISTINCT h.conversation_id) AS taken_over
FROM conversations c LEFT JOIN consultations h ON h.conversation_id = c.id AND h.outcome = 'taken_over';

-- 6. How many messages are written on each day of the week?
-- wrong: a cast to a date uses the time zone of the session, so two analysts may get two answers.
SELECT 'messages by day of the week' AS question, isodow(created_at) AS day, count(*) AS answer
FROM conversation_parts WHERE part_type = 'comment' GROUP BY day ORDER BY day;
-- right: convert to the time zone of the warehouse.
SELECT 'messages by day of the week' AS question, isodow(timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), created_at)) AS day, count(*) AS answer
FROM conversation_parts WHERE part_type = 'comment' GROUP BY day ORDER BY day;

-- 7. How often were conversations closed?
-- wrong: state is only the latest state. A reopened conversation is open, and one that was closed three times counts once.
SELECT 'closings' AS question, count(*) AS answer FROM conversations WHERE state = 'closed';
-- right: the parts have the history.
SELECT 'closings' AS question, count(*) AS answer FROM conversation_parts p JOIN conversations c ON c.id = p.conversation_id WHERE p.part_type = 'close';

-- 8. How many tickets are linked to conversations?
-- wrong: tickets and conversations share one sequence of ids, and both may be linked. An id alone does not show which it is.
SELECT 'links to tickets' AS question, count(*) AS answer FROM conversation_linked_objects o JOIN conversations c ON c.id = o.conversation_id;
-- right: use object_type. tickets.number, which people see, is a different number and joins nothing.
SELECT 'links to tickets' AS question, count(*) AS answer
FROM conversation_linked_objects o JOIN conversations c ON c.id = o.conversation_id WHERE o.object_type = 'ticket';

-- 9. How many calls were there?
-- wrong: an inner join drops unanswered calls, which have no admin, calls of admins who left the workspace, and calls of deleted
-- conversations.
SELECT 'calls' AS question, count(*) AS answer FROM calls c JOIN admins a ON a.id = c.admin_id JOIN conversations v ON v.id = c.conversation_id;
-- right: use LEFT JOIN for rows that may be missing.
SELECT 'calls' AS question, count(*) AS answer, count(a.id) AS with_admin, count(v.id) AS with_conversation
FROM calls c LEFT JOIN admins a ON a.id = c.admin_id LEFT JOIN conversations v ON v.id = c.conversation_id;
