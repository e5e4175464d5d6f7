package models_test

import "testing"

const (
	ratedColumns = "id|created_at|rating|rating_created_at|rating_contact_id|rating_teammate_type|rating_teammate_id|_gone_at"
	// people are contacts ann, a user, and ben, a lead; lea was a lead and is ann now.
	people = "INSERT INTO _raw.contacts_raw BY NAME SELECT * FROM (VALUES ('ann', 'user'), ('ben', 'lead'), ('lea', 'lead')) AS v(id, role)"
	merged = "INSERT INTO main.contact_lifecycle BY NAME SELECT 'lea' AS id, 'merged' AS lifecycle, 'ann' AS merged_into_id, 'event' AS reason, 'search' AS record_from"
)

func TestCsatCountsRequestsAnswersAndTheSatisfied(t *testing.T) {
	t.Parallel()
	g := newGolden(t, people, merged,
		insertRows("admins_all", "id|name|_gone_at", "7|Deleted Dan|2026-07-20", "8|Eve|"),
		insertRows("conversations_all", ratedColumns,
			"deleted admin|2026-06-30 12:00:00|5|2026-07-01 23:30:00|ann|admin|7|",
			"merged contact|2026-07-01 12:00:00|3|2026-07-02 10:00:00|lea|admin|7|",
			"requested only|2026-07-01 12:00:00||2026-07-03 10:00:00||workflow|43|",
			"requested, no more|2026-07-01 12:00:00||2026-07-03 10:00:00||||",
			"AI|2026-07-01 12:00:00|4|2026-07-03 10:00:00|ben|bot|9|",
			"workflow|2026-07-01 12:00:00|4|2026-07-03 10:00:00|ben|workflow|43|",
			"of nobody|2026-07-01 12:00:00|1|2026-07-03 10:00:00|ben|||",
			"not asked|2026-07-01 12:00:00||||||",
			"deleted|2026-07-01 12:00:00|5|2026-07-03 10:00:00|ben|admin|8|2026-07-20"))
	// 23:30 is half past midnight in Dublin's summer.
	g.expectRows("SELECT conversation_id, contact_id, rated_party, rated_id, requested, answered, rating, satisfied, strftime(rating_date, '%m-%d'), strftime(created_date, '%m-%d') FROM models.csat",
		"deleted admin|ann|admin|7|true|true|5|true|07-02|06-30",
		"merged contact|ann|admin|7|true|true|3|false|07-02|07-01",
		"requested only||workflow|43|true|false|||07-03|07-01",
		"requested, no more||||true|false|||07-03|07-01",
		"AI|ben|ai|9|true|true|4|true|07-03|07-01",
		"workflow|ben|workflow|43|true|true|4|true|07-03|07-01",
		"of nobody|ben|||true|true|1|false|07-03|07-01")
	// Five of seven answered, three of these are satisfied.
	g.expectRows("SELECT count_if(requested), count_if(answered), count_if(satisfied) FROM models.csat", "7|5|3")
	// Of two workflows one answered, and is satisfied: 1 of 2, 1 of 1. A request without a rating makes nobody dissatisfied.
	g.expectRows("SELECT rated_party, avg(answered::INT), avg(satisfied::INT) FROM models.csat GROUP BY ALL",
		"admin|1|0.5", "workflow|0.5|1", "ai|1|1", "|0.5|0")
}

func TestCsatHasEveryRatingOfTheBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), sum(rating), count_if(answered) FROM models.csat",
		g.rowTexts("SELECT count(*), sum(rating), count(*) FROM main.conversations WHERE rating IS NOT NULL")...)
}
