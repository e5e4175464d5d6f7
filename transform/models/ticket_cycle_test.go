package models_test

import "testing"

const (
	ticketColumns = "id|created_at|ticket_state_category|ticket_state|part_count|_gone_at"
	ticketParts   = "ticket_id|id|created_at|part_type|author_type|author_id|from_ai_agent|text|redacted|previous_ticket_state|ticket_state"
)

// movedTicket is a part that moves a ticket, on 1 July.
func movedTicket(ticket, id, clock, from, to string) string {
	return ticket + "|" + id + "|2026-07-01 " + clock + "|ticket_state_updated_by_admin|admin|8||||" + from + "|" + to
}

func TestTicketCycleMeasuresStatesAndResolution(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("tickets_all", ticketColumns,
			"reopened|2026-07-01 08:00:00|resolved|{}|5|",
			"same second|2026-07-01 08:00:00|resolved|{}|3|",
			"capped|2026-07-01 08:00:00|waiting_on_customer|{}|600|",
			"old version|2026-07-01 08:00:00||\"in_progress\"|0|",
			"born resolved|2026-07-01 08:00:00|resolved|{}|0|",
			"under way|2026-07-01 23:30:00|in_progress|{}|1|",
			"deleted|2026-07-01 08:00:00|resolved|{}|0|2026-07-20"),
		insertRows("ticket_parts", ticketParts,
			movedTicket("reopened", "1", "09:00:00", "submitted", "resolved"), movedTicket("reopened", "2", "11:00:00", "resolved", "in_progress"),
			movedTicket("reopened", "3", "11:30:00", "in_progress", "in_progress"), // another state of the same category
			movedTicket("reopened", "4", "12:00:00", "in_progress", "resolved"), movedTicket("reopened", "5", "12:30:00", "resolved", "resolved"),
			// 10 comes after 9: it was in progress for no second, which is not never.
			movedTicket("same second", "9", "08:10:00", "submitted", "in_progress"), movedTicket("same second", "10", "08:10:00", "in_progress", "resolved"),
			"same second|11|2026-07-01 08:20:00|note|admin|8||Done|||",
			movedTicket("capped", "600", "10:00:00", "in_progress", "waiting_on_customer"),
			"under way|1|2026-07-02 00:30:00|ticket_state_updated_by_admin|admin|8||||submitted|in_progress"))
	// reopened: submitted 8 to 9, resolved 9 to 11, in progress 11 to 12; the last stay goes on. Four hours to the resolution that holds.
	g.expectRows("SELECT ticket_id, state, strftime(timezone('UTC', state_since), '%H:%M'), submitted_seconds, in_progress_seconds, waiting_on_customer_seconds, resolved_seconds, state_changes, reopens FROM models.ticket_cycle",
		"reopened|resolved|12:00|3600|3600||7200|3|1",
		"same second|resolved|08:10|600|0|||2|0",
		"capped|waiting_on_customer|10:00|||||1|0",
		"old version|in_progress|08:00|||||0|0",
		"born resolved|resolved|08:00|||||0|0",
		"under way|in_progress|00:30|3600||||1|0")
	g.expectRows("SELECT ticket_id, strftime(timezone('UTC', first_resolved_at), '%H:%M'), strftime(timezone('UTC', resolved_at), '%H:%M'), time_to_resolution_calendar, parts_stored, parts_reported, parts_capped, strftime(created_date, '%m-%d'), strftime(resolved_date, '%m-%d') FROM models.ticket_cycle",
		"reopened|09:00|12:00|14400|5|5|false|07-01|07-01",
		"same second|08:10|08:10|600|3|3|false|07-01|07-01",
		"capped||||1|600|true|07-01|",
		"old version||||0|0|false|07-01|",
		"born resolved||||0|0|false|07-01|",
		"under way||||1|1|false|07-02|") // 23:30 is half past midnight in Dublin's summer
}

func TestTicketCycleFindsTheFirstHumanResponse(t *testing.T) {
	t.Parallel()
	tickets := []string{}
	for _, id := range []string{"hidden in assignment", "redacted assignment", "redacted comment", "by deleted admin", "bots only", "nobody", "in a close", "too early"} {
		tickets = append(tickets, id+"|2026-07-01 08:00:00|submitted|{}|9|")
	}
	g := newGolden(t,
		insertRows("admins_all", "id|name|_gone_at", "7|Deleted Dan|2026-07-20"),
		insertRows("tickets_all", ticketColumns, tickets...),
		insertRows("ticket_parts", ticketParts,
			"hidden in assignment|1|2026-07-01 08:01:00|note|admin|8||Notes do not count|||",
			"hidden in assignment|2|2026-07-01 08:02:00|comment|bot|8||A bot|||",
			"hidden in assignment|3|2026-07-01 08:03:00|comment|admin|8|true|The AI agent|||",
			"hidden in assignment|4|2026-07-01 08:04:00|assignment|admin|8|||false||",
			"hidden in assignment|5|2026-07-01 08:05:00|assignment|admin|8||I take it|||",
			"hidden in assignment|6|2026-07-01 08:06:00|comment|admin|8||Later|||",
			"redacted assignment|1|2026-07-01 08:01:00|assignment|admin|8|||true||",
			"redacted comment|1|2026-07-01 08:00:30|comment|user|8||Hello?|||",
			"redacted comment|2|2026-07-01 08:02:00|comment|admin|8|||true||",
			"by deleted admin|1|2026-07-01 08:03:00|comment|admin|7||Hello|||",
			"bots only|1|2026-07-01 08:02:00|comment|bot|8||A bot|||",
			"bots only|2|2026-07-01 08:02:00|assignment|bot|8||A bot|||",
			"in a close|1|2026-07-01 08:07:00|close|admin|8||Your refund is done|||",
			"too early|1|2026-06-30 08:07:00|comment|admin|8||Imported with the ticket|||"))
	g.expectRows("SELECT ticket_id, time_to_first_response_calendar FROM models.ticket_cycle",
		"hidden in assignment|300", "redacted assignment|60", "redacted comment|120", "by deleted admin|180", "bots only|", "nobody|", "in a close|420", "too early|")
}

func TestTicketCycleBeginsWithTheTicketWherePartsAreOlder(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("tickets_all", ticketColumns, "older|2026-07-02 10:00:00|resolved|{}|5|"),
		insertRows("ticket_parts", ticketParts,
			"older|1|2026-07-01 07:00:00|comment|admin|8||Imported with the ticket|||",
			movedTicket("older", "2", "09:00:00", "submitted", "in_progress"), movedTicket("older", "3", "09:30:00", "in_progress", "waiting_on_customer"),
			"older|4|2026-07-02 11:00:00|comment|admin|8||Hello|||",
			"older|5|2026-07-02 12:00:00|ticket_state_updated_by_admin|admin|8||||waiting_on_customer|resolved"))
	g.expectRows(`SELECT submitted_seconds, in_progress_seconds, waiting_on_customer_seconds, strftime(first_human_response_at, '%d %H:%M'), time_to_first_response_calendar,
		time_to_resolution_calendar FROM models.ticket_cycle`, "0|0|7200|02 11:00|3600|7200")
}

func TestTicketCycleCountsOfficeHoursOverTheChangeOfTheClock(t *testing.T) {
	t.Parallel()
	g := newGolden(t)
	for _, insert := range []string{
		insertRows("tickets_all", ticketColumns, "autumn|2026-10-24 22:59:00|resolved|{}|2|"),
		insertRows("ticket_parts", ticketParts,
			"autumn|1|2026-10-26 09:10:00|comment|admin|8||Hello|||",
			"autumn|2|2026-10-27 18:00:00|ticket_state_updated_by_admin|admin|8||||submitted|resolved"),
	} {
		g.execSQL(insert)
	}
	// Opened at 23:59 on Saturday in Dublin, an hour ahead of UTC; the clocks go back on Sunday. Answered on Monday, ten minutes after
	// nine: 34 h 11 min by the calendar, 10 minutes of the office. Resolved on Tuesday at six, when the office was closed: 67 h 1 min, and
	// two days of eight hours.
	g.expectRows("SELECT time_to_first_response_calendar, time_to_first_response_office, time_to_resolution_calendar, time_to_resolution_office FROM models.ticket_cycle",
		"123060|600|241260|57600")
	g.execSQL("DELETE FROM models.office_hours")
	g.expectRows("SELECT time_to_first_response_calendar, time_to_first_response_office, time_to_resolution_calendar, time_to_resolution_office FROM models.ticket_cycle",
		"123060||241260|")
}

func TestTicketCycleHasEveryTicketAndMove(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), sum(parts_stored), sum(state_changes), count(resolved_at) > 0 FROM models.ticket_cycle",
		g.rowTexts(`SELECT (SELECT count(*) FROM main.tickets), (SELECT count(*) FROM main.ticket_parts),
			(SELECT count(*) FROM main.ticket_parts WHERE ticket_state <> previous_ticket_state), true`)...)
	// Until it was resolved for good, it stood somewhere at every second.
	g.expectRows(`SELECT count(*) FROM models.ticket_cycle WHERE NOT parts_capped AND resolved_at IS NOT NULL AND time_to_resolution_calendar
		<> coalesce(submitted_seconds, 0) + coalesce(in_progress_seconds, 0) + coalesce(waiting_on_customer_seconds, 0) + coalesce(resolved_seconds, 0)`, "0")
}
