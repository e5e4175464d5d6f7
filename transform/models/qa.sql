-- relation: qa (view)
-- doc: One row per scorecard of a conversation. Pass rate: passed over reviewed, count(*) FILTER (passed) / count(*) FILTER (reviewed), per reviewed teammate or kind of reviewer. Unreviewed scorecards are not failures and count in neither.
-- key: conversation_id, scorecard_id
-- column conversation_id: Id of the conversation.
-- column reviewed: A review exists, whatever happened to it later. False if it is unreviewed or without a review: the source may still have a verdict.
-- column passed: The reviewed conversation passed; null without a review or a verdict.
-- column score: Score of the reviewed conversation; null without a review.
-- column reviewed_teammate_id: Reviewed admin; null for the AI. A deleted admin keeps the id: teammates has the name.
-- column reviewed_by_type: Kind of reviewer, admin or ai: who submitted the review, else the assigned reviewer; null without a review.
-- column reviewed_by_id: Admin who reviewed it; null for the AI and without a review.
-- column revised: The review was changed later; null without a review.
-- column created_date: Day of the start of the conversation. A review has no time.
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
