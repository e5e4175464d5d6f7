-- relation: lifecycle_funnel (view)
-- doc: One row per day on which contacts were created, with what has become of them by now: sum its days for a month. Contact ids are counted, each once, not survivors: to be merged is one way that a lead ends. Contacts whose creation nothing tells of are in no row.
-- key: cohort_date
-- column cohort_date: Day of creation, by the contact or else by the event that tells of it.
-- column contacts: Contacts created that day. active, archived, blocked, merged and deleted add up to them.
-- column leads_created: How many of them began as leads: the event of their creation says so, or, without one, they are leads, were merged or were made users later.
-- column users_created: How many began as users: all others.
-- column became_users: How many of leads_created are users now, or were made users before they left.
-- column active: How many contact search still returns.
-- column archived: How many are archived now.
-- column blocked: How many are blocked now.
-- column merged: How many were merged into another contact.
-- column deleted: How many are deleted, permanently or not, or are about to be.
WITH events AS (
  SELECT contact_id, min(created_at) FILTER (event_type = 'contact.created') AS created_at,
         arg_min(role, created_at) FILTER (event_type = 'contact.created') AS first_role,
         bool_or(event_type = 'contact.role_updated' AND role = 'user') AS made_user
  FROM {schema}.contact_activities
  WHERE event_type IN ('contact.created', 'contact.role_updated')
  GROUP BY contact_id
), lives AS (
  SELECT timezone({timezone}, coalesce(a.created_at, e.created_at))::DATE AS cohort_date, coalesce(a.lifecycle, 'active') AS lifecycle,
         coalesce(e.made_user, false) OR coalesce(a.role = 'user', false) AS user_at_last,
         coalesce(e.first_role = 'lead', a.role = 'lead' OR e.made_user OR a.lifecycle = 'merged', false) AS lead_at_first
  FROM {schema}.contacts_all a FULL JOIN events e ON e.contact_id = a.id
)
SELECT cohort_date, count(*) AS contacts,
       count(*) FILTER (lead_at_first) AS leads_created, count(*) FILTER (NOT lead_at_first) AS users_created,
       count(*) FILTER (lead_at_first AND user_at_last) AS became_users,
       count(*) FILTER (lifecycle = 'active') AS active, count(*) FILTER (lifecycle = 'archived') AS archived,
       count(*) FILTER (lifecycle = 'blocked') AS blocked, count(*) FILTER (lifecycle = 'merged') AS merged,
       count(*) FILTER (lifecycle IN ('deleted', 'pending_deletion', 'permanently_deleted')) AS deleted
FROM lives
WHERE cohort_date IS NOT NULL
GROUP BY cohort_date
