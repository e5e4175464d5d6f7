-- The joins that people get wrong on these tables: each once as it is often written, and once as it is meant.
-- All of it runs: duckdb -readonly data/warehouse.duckdb < docs/queries/joins.sql

-- 1. How many people did we talk to?
-- wrong: a merged contact keeps its own id in the conversations it had, and is in contacts no more: whoever was merged since is lost,
-- and so is everybody who was archived or deleted.
SELECT 'people talked to' AS question, count(DISTINCT c.contact_id) AS answer
FROM conversation_contacts c JOIN contacts p ON p.id = c.contact_id;
-- right: contact_identity has every id that was ever seen, with the contact it is today.
SELECT 'people talked to' AS question, count(DISTINCT i.current_contact_id) AS answer
FROM conversation_contacts c JOIN contact_identity i ON i.contact_id = c.contact_id;

-- 2. How many parts and how many tags do conversations have?
-- wrong: two lists of the same conversation multiply: each part stands there once a tag, each tag once a part.
SELECT 'parts of tagged conversations' AS question, count(p.id) AS answer, count(t.tag_id) AS tags
FROM conversations c JOIN conversation_parts p ON p.conversation_id = c.id JOIN conversation_tags t ON t.conversation_id = c.id;
-- right: each list is counted by conversation before it is joined.
WITH parts AS (SELECT conversation_id, count(*) AS n FROM conversation_parts GROUP BY conversation_id),
     tagged AS (SELECT conversation_id, count(*) AS n FROM conversation_tags GROUP BY conversation_id)
SELECT 'parts of tagged conversations' AS question, sum(parts.n)::BIGINT AS answer, sum(tagged.n)::BIGINT AS tags
FROM conversations c JOIN parts ON parts.conversation_id = c.id JOIN tagged ON tagged.conversation_id = c.id;

-- 3. How many conversations are with people of companies?
-- wrong: a conversation belongs to every company of each of its contacts, so that the sum over companies counts it several times.
WITH by_company AS (
  SELECT p.company_id, count(*) AS n FROM conversation_contacts c JOIN contact_companies p ON p.contact_id = c.contact_id GROUP BY p.company_id
)
SELECT 'conversations with companies' AS question, sum(n)::BIGINT AS answer FROM by_company;
-- right: a total counts conversations, not rows; a share of one company may be shown beside it, but shares do not add up to it.
SELECT 'conversations with companies' AS question, count(DISTINCT c.conversation_id) AS answer
FROM conversation_contacts c JOIN contact_companies p ON p.contact_id = c.contact_id;

-- 4. How many contacts are there?
-- wrong: tables that end in _all keep what has gone: merged, archived and deleted contacts, deleted conversations, calls, articles.
SELECT 'contacts' AS question, count(*) AS answer FROM contacts_all;
-- right: the relation without _all is what there is now. Where what has gone is wanted, say so: by lifecycle, or by _gone_at elsewhere.
SELECT 'contacts' AS question, count(*) AS answer FROM contacts;

-- 5. In what share of conversations did a teammate take over from the AI agent?
-- wrong: a WHERE on the right side of a LEFT JOIN throws out the rows that have no match, and only those that match are left to divide by.
SELECT 'conversations, taken over' AS question, count(DISTINCT c.id) AS answer, count(DISTINCT h.conversation_id) AS taken_over
FROM conversations c LEFT JOIN consultations h ON h.conversation_id = c.id WHERE h.outcome = 'taken_over';
-- right: the condition belongs to the join.
SELECT 'conversations, taken over' AS question, count(DISTINCT c.id) AS answer, count(DISTINCT h.conversation_id) AS taken_over
FROM conversations c LEFT JOIN consultations h ON h.conversation_id = c.id AND h.outcome = 'taken_over';

-- 6. How many messages are written on each day of the week?
-- wrong: a cast to a date takes the time zone of whoever asks: two analysts get two answers, and neither that of the dashboard.
SELECT 'messages by day of the week' AS question, isodow(created_at) AS day, count(*) AS answer
FROM conversation_parts WHERE part_type = 'comment' GROUP BY day ORDER BY day;
-- right: days are those of the warehouse, whoever asks.
SELECT 'messages by day of the week' AS question, isodow(timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), created_at)) AS day, count(*) AS answer
FROM conversation_parts WHERE part_type = 'comment' GROUP BY day ORDER BY day;

-- 7. How often were conversations closed?
-- wrong: state is the latest one. What was closed and opened again is open, and what was closed three times counts once.
SELECT 'closings' AS question, count(*) AS answer FROM conversations WHERE state = 'closed';
-- right: the history is in the parts.
SELECT 'closings' AS question, count(*) AS answer FROM conversation_parts p JOIN conversations c ON c.id = p.conversation_id WHERE p.part_type = 'close';

-- 8. How many tickets are linked to conversations?
-- wrong: tickets and conversations share one row of numbers, and both may be linked: an id alone does not say which it is.
SELECT 'links to tickets' AS question, count(*) AS answer FROM conversation_linked_objects o JOIN conversations c ON c.id = o.conversation_id;
-- right: object_type says which. tickets.number, which people see, is another number again and joins nothing.
SELECT 'links to tickets' AS question, count(*) AS answer
FROM conversation_linked_objects o JOIN conversations c ON c.id = o.conversation_id WHERE o.object_type = 'ticket';

-- 9. How many calls were there?
-- wrong: a call that nobody answered has no admin, one of an admin who has left has none in admins, and a deleted conversation leaves its calls:
-- an inner join drops just the calls that somebody asks about.
SELECT 'calls' AS question, count(*) AS answer FROM calls c JOIN admins a ON a.id = c.admin_id JOIN conversations v ON v.id = c.conversation_id;
-- right: what may be missing is joined from the left.
SELECT 'calls' AS question, count(*) AS answer, count(a.id) AS with_admin, count(v.id) AS with_conversation
FROM calls c LEFT JOIN admins a ON a.id = c.admin_id LEFT JOIN conversations v ON v.id = c.conversation_id;
