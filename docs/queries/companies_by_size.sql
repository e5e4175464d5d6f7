-- How many companies have how many known people?
WITH known AS (
  SELECT c.id, count(p.contact_id) AS contacts, any_value(c.monthly_spend) AS spend
  FROM companies c LEFT JOIN company_contacts p ON p.company_id = c.id GROUP BY c.id
)
SELECT CASE WHEN contacts = 0 THEN '1 nobody' WHEN contacts = 1 THEN '2 one' WHEN contacts < 10 THEN '3 up to nine' WHEN contacts < 100 THEN '4 up to 99'
            ELSE '5 more' END AS people, count(*) AS companies, sum(contacts) AS contacts, round(sum(spend), 2) AS monthly_spend
FROM known GROUP BY people ORDER BY people;
