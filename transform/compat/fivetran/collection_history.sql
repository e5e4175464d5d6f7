-- relation: collection_history (view)
-- doc: One row per collection of articles, also deleted ones; with history, one per state.
-- key: id, _fivetran_start
-- column type: collection, the kind of the record.
-- column icon from _extra: Name of its picture, from _extra; null where the API sends none.
-- column order from position: Place among the collections.
SELECT id, 'collection' AS type, workspace_id, help_center_id, parent_id, name, description, url, _extra ->> 'icon' AS icon,
       "position" AS "order", default_locale, timezone('UTC', created_at) AS created_at, timezone('UTC', updated_at) AS updated_at, {state}
FROM {states of collections}
