package models_test

import "testing"

func TestQaCountsUnreviewedAsNoFailures(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("admins_all", "id|name|_gone_at", "7|Deleted Dan|2026-07-20", "8|Eve|"),
		insertRows("conversations_all", "id|created_at|_gone_at", "c1|2026-07-01 23:30:00|", "c2|2026-07-02|", "c3|2026-07-02|", "gone|2026-07-02|2026-07-20"),
		insertRows("conversation_scorecards", "conversation_id|scorecard_id|review_status|passed|score|reviewed_teammate_type|reviewed_teammate_id|reviewer_type|reviewer_id|submitted_by_type|submitted_by_id|revised_by_type",
			"c1|s1|passed_review|true|90|admin|7|admin|8|admin|8|",
			"c1|s2|needs_fix|false|20|admin|7|admin|8|ai||admin",
			"c1|s3|unreviewed|false|10|admin|7|admin|8|||",
			"c2|s1||true|80|ai||||||",
			"c2|s2|submitted|true|70|ai||admin|8|||",
			"c2|s3|fix_complete|false|40|ai||||ai||",
			"c3|s1|wont_fix|||admin|8|ai||ai||",
			"gone|s1|needs_fix|false|0|admin|8|ai||ai||"))
	g.expectRows("SELECT conversation_id, scorecard_id, reviewed, passed, score, reviewed_teammate_id, reviewed_by_type, reviewed_by_id, revised, strftime(created_date, '%m-%d') FROM models.qa",
		"c1|s1|true|true|90|7|admin|8|false|07-02",
		"c1|s2|true|false|20|7|ai||true|07-02",
		"c1|s3|false|||7||||07-02",
		"c2|s1|false|||||||07-02",
		"c2|s2|true|true|70||admin|8|false|07-02",
		"c2|s3|true|false|40||ai||false|07-02",
		"c3|s1|true|||8|ai||false|07-02")
	// Of Dan's three two are reviewed and one passed; of the AI's three two and one; Eve's was reviewed without a verdict.
	const rate = ", count(*), count(*) FILTER (reviewed), count(*) FILTER (passed), count(*) FILTER (passed) / count(*) FILTER (reviewed) FROM models.qa"
	g.expectRows("SELECT reviewed_teammate_type, reviewed_teammate_id"+rate+" GROUP BY ALL", "admin|7|3|2|1|0.5", "ai||3|2|1|0.5", "admin|8|1|1|0|0")
	g.expectRows("SELECT reviewed_by_type"+rate+" WHERE reviewed GROUP BY ALL", "admin|2|2|2|1", "ai|3|3|0|0")
}

func TestQaHasEveryScorecard(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), count_if(reviewed), count_if(passed) FROM models.qa",
		g.rowTexts("SELECT count(*), count_if(submitted_by_type IS NOT NULL), count_if(passed AND submitted_by_type IS NOT NULL) FROM main.conversation_scorecards")...)
}
