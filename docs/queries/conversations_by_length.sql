-- How long are conversations: how many messages does each have, and how many of them are the contact's?
WITH messages AS (
  SELECT conversation_id, count(*) AS messages, count(*) FILTER (author_type IN ('user', 'lead')) AS by_contact
  FROM conversation_parts WHERE part_type = 'comment' GROUP BY conversation_id
)
SELECT CASE WHEN coalesce(messages, 0) = 0 THEN '1 none after the first' WHEN messages < 5 THEN '2 up to four' WHEN messages < 10 THEN '3 up to nine'
            WHEN messages < 50 THEN '4 up to 49' ELSE '5 more' END AS length, count(*) AS conversations, sum(messages)::BIGINT AS messages,
       round(100.0 * sum(by_contact) / sum(messages), 1) AS percent_by_contacts
FROM conversations LEFT JOIN messages ON conversation_id = id GROUP BY length ORDER BY length;
