-- How many active contacts may be sent an email, and how many of those opened one?
SELECT role, count(*) AS contacts, count(email) AS with_address, count(email) FILTER (unsubscribed_from_emails IS NOT TRUE) AS reachable,
       count(email) FILTER (unsubscribed_from_emails IS NOT TRUE AND last_email_opened_at IS NOT NULL) AS ever_opened
FROM contacts GROUP BY role ORDER BY contacts DESC, role;
