-- How many conversations do companies of each size have?
-- Size is the number of employees. A conversation counts for each company of its contacts, so the sum may exceed the number of conversations.
-- draw: conversations_per_company
SELECT CASE WHEN size IS NULL THEN '6 not told' WHEN size < 10 THEN '1 up to 9' WHEN size < 50 THEN '2 10 to 49' WHEN size < 250 THEN '3 50 to 249' WHEN size < 1000 THEN '4 250 to 999'
            ELSE '5 1,000 and more' END AS employees, count(*) AS companies, sum(conversations)::BIGINT AS conversations, sum(open_conversations)::BIGINT AS open_conversations,
       round(sum(conversations) / count(*), 2) AS conversations_per_company
FROM models.company_overview GROUP BY employees ORDER BY employees;
