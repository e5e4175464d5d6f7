-- relation: tag (view)
-- doc: One row per tag, also deleted ones.
-- key: id
SELECT id, name, {deleted}, {synced} FROM {schema}.tags_all
