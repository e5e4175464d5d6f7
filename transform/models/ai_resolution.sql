-- relation: ai_resolution (view)
-- doc: One row per conversation, with the outcome of the AI agent's part in it. The outcome is resolution_state from the source, and is never inferred from text. Involvement rate: involved over all rows. Resolution rate: resolved over involved.
-- key: conversation_id
-- column conversation_id: Id of the conversation.
-- column involved: The AI agent took part, alone or before a human; null if the source does not say. resolved_by in first_contact_resolution is ai where no human answered.
-- column ai_agent_resolution_state: Outcome, as sent - confirmed_resolution, assumed_resolution, routed_to_team, escalated, abandoned; others may come. Null without an outcome yet.
-- column resolved: True for a resolution, confirmed by the contact or assumed. A human may have answered, too; resolved_by in first_contact_resolution says so. Null if the AI agent was not involved, if there is no outcome yet, and for unknown outcomes.
-- column resolved_confirmed: True for a resolution that the contact confirmed; null where resolved is null.
-- column escalated: True if the AI agent passed the conversation on to the team; null where resolved is null. An abandoned conversation is neither resolved nor escalated.
-- column ai_agent_satisfied: The contact rated the AI agent 4 or 5, which is a convention; null without a rating.
-- column ai_agent_date: Day of ai_agent_created_at.
-- column created_date: Day of the start of the conversation.
SELECT id AS conversation_id, involved, ai_agent_resolution_state,
       CASE WHEN known THEN ai_agent_resolution_state IN ('assumed_resolution', 'confirmed_resolution') END AS resolved,
       CASE WHEN known THEN ai_agent_resolution_state = 'confirmed_resolution' END AS resolved_confirmed,
       CASE WHEN known THEN ai_agent_resolution_state IN ('routed_to_team', 'escalated') END AS escalated,
       ai_agent_source_type, ai_agent_last_answer_type, ai_agent_rating, ai_agent_rating >= 4 AS ai_agent_satisfied, ai_agent_rating_remark,
       ai_agent_created_at, ai_agent_updated_at,
       timezone({timezone}, ai_agent_created_at)::DATE AS ai_agent_date, timezone({timezone}, created_at)::DATE AS created_date, _synced_at
FROM (
  SELECT *, ai_agent_participated OR ai_agent_resolution_state IS NOT NULL AS involved,
         ai_agent_resolution_state IN ('assumed_resolution', 'confirmed_resolution', 'routed_to_team', 'escalated', 'abandoned') AS known
  FROM {schema}.conversations
)
