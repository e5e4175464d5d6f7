package models_test

import "testing"

func TestSlaHasTheSourcesWordAndOurTimes(t *testing.T) {
	t.Parallel()
	g := newGolden(t, goldenCases()...)
	g.expectRows(`SELECT conversation_id, sla_name, sla_status, met, time_to_first_response_calendar, time_to_first_response_office, median_reply_time, time_to_first_close,
		strftime(waiting_since, '%H:%M') FROM models.sla`,
		"bot|Gold|hit|true|2400|2400|600|300|", "hidden|Gold|missed|false|1800|1800|1800|3600|", "skip|Gold|cancelled||600|600|600|1200|",
		"removed|Gold|active||||||09:00", "saturday|4h|hit|true|112140|600|117735|236400|", // within 4 hours of the office
		"merged|4h|missed|false|900|900|900|1200|", "deleted||other||2700|2700|2700|3000|")
}

func TestSlaAddsUpToItsBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT conversation_id, met FROM models.sla",
		g.rowTexts("SELECT id, CASE sla_status WHEN 'hit' THEN true WHEN 'missed' THEN false END FROM main.conversations WHERE sla_status IS NOT NULL")...)
}
