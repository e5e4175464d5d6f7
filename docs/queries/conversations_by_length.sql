-- How long are conversations: how many messages does each have, and how many of them are the contact's?
-- The first message counts too, and so do words that come with a close or an assignment. Notes do not.
WITH messages AS (
  SELECT conversation_id, count(*) AS messages, count(*) FILTER (author_kind = 'contact') AS by_contact FROM models.conversation_messages GROUP BY conversation_id
)
SELECT CASE WHEN messages = 1 THEN '1 one' WHEN messages < 5 THEN '2 two to four' WHEN messages < 10 THEN '3 five to nine' WHEN messages < 50 THEN '4 ten to 49'
            ELSE '5 more' END AS length, count(*) AS conversations, sum(messages)::BIGINT AS messages,
       round(100.0 * sum(by_contact) / sum(messages), 1) AS percent_by_contacts
FROM messages GROUP BY length ORDER BY length;
