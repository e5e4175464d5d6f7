-- relation: lifecycle_funnel (view)
-- doc: One row per day of creation of contacts, with their lifecycle now. Sum the days for a month. It counts contact ids, not survivors: a merge is one end of a lead. Contacts with an unknown creation time are in no row.
-- key: cohort_date
-- column cohort_date: Day of creation, from the contact or else from its creation event.
-- column contacts: Number of contacts created that day: the sum of active, archived, blocked, merged and deleted.
-- column leads_created: Number that began as leads, by their creation event. Without the event: those that are leads, were merged or became users later.
-- column users_created: Number that began as users: all others.
-- column became_users: Number of leads_created that are users now, or became users before they left.
-- column active: Number that contact search still returns.
-- column archived: Number that are archived now.
-- column blocked: Number that are blocked now.
-- column merged: Number that were merged into another contact.
-- column deleted: Number that are deleted, permanently deleted or pending deletion.
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
