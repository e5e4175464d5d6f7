-- relation: help_center_history (view)
-- doc: One row per help center, also deleted ones; with history, one per state.
-- key: id, _fivetran_start
SELECT id, workspace_id, identifier, display_name, website_turned_on, timezone('UTC', created_at) AS created_at,
       timezone('UTC', updated_at) AS updated_at, {state}
FROM {states of help_centers}
