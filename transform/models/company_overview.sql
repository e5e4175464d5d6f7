-- relation: company_overview (view)
-- doc: One row per company, with its people and their conversations. A conversation counts for every company of its contacts and for the company it is filed under. Sums over companies may therefore exceed the number of conversations.
-- key: company_id
-- column company_id: Id of the company.
-- column people: Number of active contacts of the company; 0 without any. user_count is the source's number.
-- column users: Number of its people who are users.
-- column leads: Number of its people who are leads.
-- column conversations: Number of its conversations; 0 without any. Conversations of a merged contact count for its survivor. The companies of a contact, also of an inactive one, are those of its last read. The company at the time of the conversation is the one it is filed under.
-- column conversations_filed: Number of conversations that are filed under it.
-- column open_conversations: Number of its conversations that are open now.
-- column snoozed_conversations: Number of its conversations that are snoozed now.
-- column first_conversation_at: Start of the earliest conversation; null without any.
-- column last_conversation_at: Start of the latest conversation; null without any.
WITH people AS (
  SELECT m.company_id, count(*) AS people, count(*) FILTER (c.role = 'user') AS users, count(*) FILTER (c.role = 'lead') AS leads
  FROM {schema}.contact_companies m JOIN {schema}.contacts c ON c.id = m.contact_id
  GROUP BY m.company_id
), belongs AS (
  SELECT m.company_id, t.conversation_id
  FROM {schema}.conversation_contacts t
  JOIN {schema}.contact_identity i ON i.contact_id = t.contact_id
  JOIN {schema}.contact_companies m ON m.contact_id = i.current_contact_id
  UNION
  SELECT company_id, id FROM {schema}.conversations WHERE company_id IS NOT NULL
), talks AS (
  SELECT b.company_id, count(*) AS conversations, count(*) FILTER (c.company_id = b.company_id) AS conversations_filed,
         count(*) FILTER (c.state = 'open') AS open_conversations, count(*) FILTER (c.state = 'snoozed') AS snoozed_conversations,
         min(c.created_at) AS first_conversation_at, max(c.created_at) AS last_conversation_at
  FROM belongs b JOIN {schema}.conversations c ON c.id = b.conversation_id -- not deleted ones
  GROUP BY b.company_id
)
SELECT o.id AS company_id, o.external_id, o.name, o.industry, o.size, o.plan_name, o.monthly_spend, o.user_count, o.created_at, o.last_request_at,
       coalesce(p.people, 0) AS people, coalesce(p.users, 0) AS users, coalesce(p.leads, 0) AS leads,
       coalesce(t.conversations, 0) AS conversations, coalesce(t.conversations_filed, 0) AS conversations_filed,
       coalesce(t.open_conversations, 0) AS open_conversations, coalesce(t.snoozed_conversations, 0) AS snoozed_conversations,
       t.first_conversation_at, t.last_conversation_at
FROM {schema}.companies o LEFT JOIN people p ON p.company_id = o.id LEFT JOIN talks t ON t.company_id = o.id
