-- Which companies spend most, and how many people and conversations do we have with each?
-- A conversation with two people of a company counts once for that company, and once for each other company of these people.
WITH people AS (
  SELECT company_id, count(*) AS contacts FROM company_contacts GROUP BY company_id
), talks AS (
  SELECT p.company_id, count(DISTINCT c.conversation_id) AS conversations
  FROM company_contacts p JOIN contact_identity i ON i.current_contact_id = p.contact_id JOIN conversation_contacts c ON c.contact_id = i.contact_id
  GROUP BY p.company_id
)
SELECT id, name, plan_name, monthly_spend, coalesce(contacts, 0) AS contacts, coalesce(conversations, 0) AS conversations
FROM companies LEFT JOIN people ON people.company_id = id LEFT JOIN talks ON talks.company_id = id
ORDER BY monthly_spend DESC NULLS LAST, id LIMIT 20;
