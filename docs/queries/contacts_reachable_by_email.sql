-- How many active contacts may be sent an email, and how many of those opened one?
-- Not reachable: without an address, opted out, an address that bounced for good, or emails marked as spam.
WITH addresses AS (
  SELECT role, email, last_email_opened_at,
         email IS NOT NULL AND unsubscribed_from_emails IS NOT TRUE AND has_hard_bounced IS NOT TRUE AND marked_email_as_spam IS NOT TRUE AS may_be_sent
  FROM contacts
)
SELECT role, count(*) AS contacts, count(email) AS with_address, count(*) FILTER (may_be_sent) AS reachable,
       count(*) FILTER (may_be_sent AND last_email_opened_at IS NOT NULL) AS ever_opened
FROM addresses GROUP BY role ORDER BY contacts DESC, role;
