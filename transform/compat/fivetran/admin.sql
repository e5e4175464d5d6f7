-- relation: admin (view)
-- doc: One row per teammate, also those who left.
-- key: id
SELECT id, name, job_title, {deleted}, {synced} FROM {schema}.admins_all
