-- relation: teammates (view)
-- doc: One row per admin that the warehouse knows, also those who have left: from the list of admins, else from the conversations that they wrote in. Join it wherever an admin's name is shown. Two teammates may have the same name.
-- key: admin_id
-- column admin_id: Id of the admin.
-- column name: Name in the list of admins, else the author's name in the newest part; the id with admin before it if no name was ever read.
-- column current: The admin is in the workspace's list now.
WITH wrote AS (
  SELECT author_id AS admin_id, arg_max(author_name, created_at) FILTER (author_name <> '') AS name
  FROM (
    SELECT author_id, author_name, created_at FROM {schema}.conversation_parts WHERE author_type = 'admin'
    UNION ALL
    SELECT source_author_id, source_author_name, created_at FROM {schema}.conversations WHERE source_author_type = 'admin'
  ) WHERE author_id IS NOT NULL GROUP BY author_id
)
SELECT coalesce(a.id, w.admin_id) AS admin_id, coalesce(nullif(a.name, ''), w.name, 'admin ' || coalesce(a.id, w.admin_id)) AS name,
       a.id IS NOT NULL AND a._gone_at IS NULL AS current
FROM {schema}.admins_all a FULL JOIN wrote w ON w.admin_id = a.id
