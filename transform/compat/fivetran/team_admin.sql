-- relation: team_admin (view)
-- doc: One row per teammate in a team. Teammates of deleted teams count as deleted.
-- key: team_id, admin_id
SELECT a.team_id, a.admin_id, t._gone_at IS NOT NULL AS _fivetran_deleted,
       timezone('UTC', greatest(a._synced_at, t._synced_at)) AS _fivetran_synced
FROM {schema}.team_admins a LEFT JOIN {schema}.teams_all t ON t.id = a.team_id
