-- relation: company_history (view)
-- doc: One row per company, also deleted ones; with history, one per state.
-- key: id, _fivetran_start
SELECT id, name, website, industry, plan_id, plan_name, monthly_spend, session_count, user_count,
       timezone('UTC', created_at) AS created_at, timezone('UTC', updated_at) AS updated_at, {state}
FROM {states of companies}
