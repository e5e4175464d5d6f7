-- relation: qa (view)
-- doc: One row per scorecard of a conversation. The pass rate is passed over reviewed, per reviewed teammate or kind of reviewer: count(*) FILTER (passed) / count(*) FILTER (reviewed). Unreviewed ones are no failures and count in neither.
-- key: conversation_id, scorecard_id
-- column conversation_id: The conversation.
-- column reviewed: There is a review, whatever became of it since. False where it is unreviewed and where there is none: the source may have a verdict on those all the same.
-- column passed: The reviewed conversation passed; null where it is not reviewed, and where the review has no verdict.
-- column score: What the reviewed conversation scored; null where it is not reviewed.
-- column reviewed_teammate_id: The admin it is about; null for the AI. One who was deleted keeps the id: admins_all has the name.
-- column reviewed_by_type: Who reviewed it, admin or ai: who submitted the review, else who was to; null where it is not reviewed.
-- column reviewed_by_id: The admin who reviewed it; null for the AI, and where it is not reviewed.
-- column revised: The review was changed since; null where it is not reviewed.
-- column created_date: Day on which the conversation began. A review has no time of its own.
SELECT conversation_id, scorecard_id, name, review_status, reviewed,
       CASE WHEN reviewed THEN passed END AS passed, CASE WHEN reviewed THEN score END AS score,
       reviewed_teammate_type, reviewed_teammate_id,
       CASE WHEN reviewed THEN coalesce(submitted_by_type, reviewer_type) END AS reviewed_by_type,
       CASE WHEN reviewed THEN CASE WHEN submitted_by_type IS NULL THEN reviewer_id ELSE submitted_by_id END END AS reviewed_by_id,
       CASE WHEN reviewed THEN revised_by_type IS NOT NULL END AS revised,
       created_date, _synced_at
FROM (
  SELECT s.*, coalesce(s.review_status, 'unreviewed') <> 'unreviewed' AS reviewed, timezone({timezone}, c.created_at)::DATE AS created_date
  FROM {schema}.conversation_scorecards s JOIN {schema}.conversations c ON c.id = s.conversation_id -- not those of deleted conversations
)
