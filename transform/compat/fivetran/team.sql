-- relation: team (view)
-- doc: One row per team, also deleted ones.
-- key: id
SELECT id, name, {deleted}, {synced} FROM {schema}.teams_all
