package models_test

import "testing"

func TestSegmentTrendComparesDaysThatWereRead(t *testing.T) {
	t.Parallel()
	g := newGolden(t, insertRows("segments_daily", "id|snapshot_date|name|member_count",
		"s|2026-07-01|Old name|10", "s|2026-07-02|Name|12", "s|2026-07-04|Name|12", "s|2026-07-08|Name|7", "s|2026-07-09|Name|", "s|2026-07-10|Name|9",
		"other|2026-07-02|Other|100"))
	// On the 3rd and from the 5th to the 7th nothing was read. A week before the 8th there were 10, before the 9th 12; the 10th's week began on the 3rd.
	g.expectRows("SELECT segment_id, strftime(snapshot_date, '%d'), name, member_count, strftime(previous_date, '%d'), change, change_in_week FROM models.segment_trend",
		"s|01|Old name|10|||", "s|02|Name|12|01|2|", "s|04|Name|12|02|0|", "s|08|Name|7|04|-5|-3", "s|09|Name||08||", "s|10|Name|9|09||", "other|02|Other|100|||")
}

func TestSegmentTrendHasEveryDay(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), sum(member_count) FROM models.segment_trend", g.rowTexts("SELECT count(*), sum(member_count) FROM main.segments_daily")...)
}
