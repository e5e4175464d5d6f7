-- relation: ai_resolution (view)
-- doc: One row per conversation, with what the AI agent's part in it came to, as the source says in resolution_state and never inferred from text. The involvement rate is involved over all rows, the resolution rate resolved over involved.
-- key: conversation_id
-- column conversation_id: The conversation.
-- column involved: The AI agent took part; null where the source does not say.
-- column ai_agent_resolution_state: What its part came to, as sent - confirmed_resolution, assumed_resolution, routed_to_team, escalated, abandoned; others may come. Null where it has come to nothing yet.
-- column resolved: It came to a resolution, confirmed by the contact or assumed; null where the AI agent was not involved, where it has come to nothing yet, and where the source has another word for it.
-- column resolved_confirmed: It came to a resolution that the contact confirmed; null as resolved is.
-- column escalated: It was passed on to the team; null as resolved is. What was abandoned is neither resolved nor escalated.
-- column ai_agent_satisfied: The contact rated the AI agent 4 or 5, which is a convention; null where it was not rated.
-- column ai_agent_date: Day of ai_agent_created_at.
-- column created_date: Day on which the conversation began.
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
