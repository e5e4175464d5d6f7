-- relation: assignment_intervals (table)
-- doc: One row per interval in which an admin, a team or both were assigned to a conversation, from one assigning part to the next. In a part's assignee fields 0 removes the assignee, and null keeps it; without the fields the assignee is unknown. From API version 2.17, a part with assigned_to_type nobody_admin alone removes both. A close does not end an interval, and assigning the same owner again starts a new one.
-- key: conversation_id, part_id
-- changed by: conversations.id, conversation_parts.conversation_id
-- column conversation_id: Id of the conversation.
-- column part_id: Part that started the interval.
-- column began_at: Start of the interval.
-- column ended_at: End of the interval: the next part that assigns or unassigns; null while it lasts.
-- column admin_id: Assigned admin or bot, who may be deleted; null without one, or if unknown.
-- column admin_is_bot: True if the assigned admin is a bot: some part assigned it as one. Null without an admin.
-- column team_id: Assigned team; null without one, or if unknown.
-- column admin_known: False if it is unknown whether an admin was assigned. API versions up to 2.16 send only the new assignee of a part.
-- column team_known: False if it is unknown whether a team was assigned.
-- column owned_seconds: Length of the interval in seconds; null while it lasts. Its sum by admin_id or team_id is the time for which each of them owned conversations.
WITH told AS (
  SELECT conversation_id, id, created_at, assigned_to_type, assigned_to_id, admin_assignee_id, team_assignee_id,
         -- Versions up to 2.16 do not send the fields of assignees.
         coalesce(1000 * try_cast(split_part(_api_version, '.', 1) AS INTEGER) + try_cast(split_part(_api_version, '.', 2) AS INTEGER) <= 2016, false) AS old
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
  WHERE assigned_to_type IS NOT NULL OR admin_assignee_id IS NOT NULL OR team_assignee_id IS NOT NULL
), effects AS (
  -- What a part does to each kind: null leaves it untouched, 0 ends it, ? is unknown.
  SELECT conversation_id, id, created_at,
         CASE WHEN admin_assignee_id IS NOT NULL THEN admin_assignee_id
              WHEN assigned_to_type IN ('admin', 'bot') THEN assigned_to_id
              WHEN team_assignee_id IS NOT NULL THEN NULL
              WHEN assigned_to_type = 'nobody_admin' AND NOT old THEN '0'
              ELSE '?' END AS admin,
         CASE WHEN team_assignee_id IS NOT NULL THEN team_assignee_id
              WHEN assigned_to_type = 'team' THEN assigned_to_id
              WHEN admin_assignee_id IS NOT NULL THEN NULL
              WHEN assigned_to_type = 'nobody_admin' AND NOT old THEN '0'
              ELSE '?' END AS team
  FROM told
), stretches AS (
  SELECT conversation_id, id AS part_id, created_at AS began_at, lead(created_at) OVER ordered AS ended_at,
         last_value(admin IGNORE NULLS) OVER so_far AS admin, last_value(team IGNORE NULLS) OVER so_far AS team
  FROM effects
  WINDOW ordered AS (PARTITION BY conversation_id ORDER BY created_at, length(id), id),
         so_far AS (PARTITION BY conversation_id ORDER BY created_at, length(id), id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT conversation_id, part_id, began_at, ended_at,
       CASE WHEN admin NOT IN ('0', '?') THEN admin END AS admin_id, CASE WHEN admin NOT IN ('0', '?') THEN bots.id IS NOT NULL END AS admin_is_bot,
       CASE WHEN team NOT IN ('0', '?') THEN team END AS team_id,
       admin IS DISTINCT FROM '?' AS admin_known, team IS DISTINCT FROM '?' AS team_known,
       (epoch(ended_at) - epoch(began_at))::BIGINT AS owned_seconds
FROM stretches LEFT JOIN {models}.assigned_bots bots ON bots.id = stretches.admin
WHERE admin NOT IN ('0', '?') OR team NOT IN ('0', '?')
