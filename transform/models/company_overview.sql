-- relation: company_overview (view)
-- doc: One row per company, with its people and their conversations. A conversation belongs to every company of its contacts and to the one it is filed under, so that sums over companies may exceed the number of conversations.
-- key: company_id
-- column company_id: The company.
-- column people: Active contacts that belong to it; 0 where it has none. user_count is what the source says.
-- column users: How many of its people are users.
-- column leads: How many of its people are leads.
-- column conversations: Conversations that belong to it; 0 where it has none. Of a merged contact they are those of its survivor. The companies of a contact are those when it was last read, also of one that is active no more; the company at the time of the conversation is the one it is filed under.
-- column conversations_filed: How many of them are filed under it.
-- column open_conversations: How many of them are open now.
-- column snoozed_conversations: How many of them are snoozed now.
-- column first_conversation_at: Beginning of the earliest one; null without any.
-- column last_conversation_at: Beginning of the latest one; null without any.
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
