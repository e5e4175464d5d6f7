-- Which companies spend most, and how many people and conversations do we have with each?
-- People are active contacts. A conversation counts once for each company of its contacts, and for the company it is filed under.
SELECT c.id, c.name, c.plan_name, c.monthly_spend, o.people AS contacts, o.conversations
FROM companies c JOIN models.company_overview o ON o.company_id = c.id
ORDER BY c.monthly_spend DESC NULLS LAST, c.id LIMIT 20;
