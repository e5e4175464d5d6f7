package models_test

import (
	"fmt"
	"testing"
)

func TestBacklogDailyIsTakenAtMidnightOfTheWarehouse(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	var want []string
	add := func(from, to, open, snoozed int) {
		for day := from; day <= to; day++ {
			want = append(want, fmt.Sprintf("%02d|%d|%d|%d", day, open+snoozed, open, snoozed))
		}
	}
	add(2, 12, 0, 0)  // nobody waits for what the workspace sent
	add(13, 15, 1, 0) // capped, since the contact wrote on the 12th
	add(16, 16, 2, 0) // and redacted
	add(17, 23, 3, 0) // and old; those that were closed on the day that they began are in no number
	add(24, 26, 5, 0) // and removed and saturday, which is closed on the 26th
	add(27, 27, 4, 0)
	add(28, 28, 4, 1) // and snoozed
	add(29, 30, 5, 0) // which is closed at this very instant, while midnight begins
	g.expectRows("SELECT strftime(backlog_date, '%d'), backlog, open_conversations, snoozed_conversations FROM models.backlog_daily", want...)
	g.expectRows("SELECT strftime(midnight_at, '%d %H:%M') FROM models.backlog_daily WHERE backlog_date BETWEEN '2026-10-24' AND '2026-10-26'", "23 23:00", "24 23:00", "26 00:00")
}

func TestBacklogDailyOfNothingIsEmpty(t *testing.T) {
	t.Parallel()
	newGolden(t).expectRows("FROM models.backlog_daily")
}

// TestBacklogDailyAddsUpToItsBase counts each day of a whole workspace by itself, and the last one by what conversations are now.
func TestBacklogDailyAddsUpToItsBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows(`SELECT b.backlog_date, b.backlog, count(s.state) FROM models.backlog_daily b LEFT JOIN models.state_intervals s
		ON s.state IN ('open', 'snoozed') AND s.began_at <= b.midnight_at AND (s.ended_at IS NULL OR s.ended_at > b.midnight_at)
		GROUP BY ALL HAVING b.backlog <> count(s.state)`)
	g.expectRows(`SELECT count(*) FROM main.conversations WHERE state IN ('open', 'snoozed')
		AND id NOT IN (SELECT conversation_id FROM models.state_intervals WHERE state = 'sent' AND ended_at IS NULL)`, g.rowTexts("SELECT arg_max(backlog, backlog_date) FROM models.backlog_daily")...)
	g.expectRows("SELECT count(*) FROM models.backlog_daily", g.rowTexts("SELECT max(backlog_date) - min(backlog_date) + 1 FROM models.backlog_daily")...)
}

func TestBacklogDailyHasDaysOfTheWarehouse(t *testing.T) {
	t.Parallel()
	g := newGolden(t, insertRows("conversations_all", "id|created_at|updated_at|state|_synced_at",
		"a|2026-10-19 12:00:00|2026-10-19 12:00:00|open|2026-10-22 12:00:00",
		"b|2026-10-20 23:30:00|2026-10-20 23:30:00|open|2026-10-22 12:00:00")) // 00:30 of the 21st in Dublin
	g.expectRows("SELECT strftime(backlog_date, '%d'), backlog FROM models.backlog_daily", "20|1", "21|1", "22|2")
}
