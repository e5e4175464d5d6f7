package models_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// tags are those of HTML, which text has no longer.
var tags = regexp.MustCompile(`<[^>]*>`)

// insertRows puts rows into a stored table; each names the values of the columns with bars between them, and what is empty is null.
// Times without a zone are UTC.
func insertRows(table, columns string, rows ...string) string {
	names := splitCells(columns)
	if !strings.Contains(table, ".") {
		table = "main." + table
	}
	var tuples []string
	for _, row := range rows {
		values := splitCells(row)
		if len(values) != len(names) {
			panic(fmt.Sprintf("%s: %d values for the %d columns of %s", row, len(values), len(names), table))
		}
		for i, v := range values {
			values[i] = "NULL"
			if v != "" {
				values[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
			}
		}
		tuples = append(tuples, "("+strings.Join(values, ", ")+")")
	}
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES\n%s", table, strings.Join(names, ", "), strings.Join(tuples, ",\n"))
	if slices.Contains(names, "text") && strings.HasSuffix(table, "_parts") { // as a run stores it
		insert += fmt.Sprintf("; UPDATE %s SET has_words = text <> ''", table)
	}
	return insert
}

func splitCells(row string) []string {
	list := strings.Split(row, "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// insertParts puts parts into conversations, one a line and numbered from 1 in each:
//
//	conversation | 2026-10-19 10:40:00 | comment by admin 1 | open | admin 2 2 - | words
//
// with the state after it, and as an assignment type and id of assigned_to and both assignee fields, "-" being null. "by ai 7"
// is a bot that is the AI agent; the words "redacted" were taken out. A seventh value is the API version.
func insertParts(lines string) string {
	var rows []string
	last := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		c := append(splitCells(line), "", "", "", "")
		last[c[0]]++
		what, who, _ := strings.Cut(c[2], " by ")
		author := append(strings.Fields(who), "", "")
		agent := ""
		if author[0] == "ai" {
			author[0], agent = "bot", "true"
		}
		assigned := append(strings.Fields(strings.ReplaceAll(c[4], "-", " - ")), "", "", "", "")
		for i, v := range assigned {
			assigned[i] = strings.TrimPrefix(v, "-")
		}
		body, redacted := c[5], "false"
		if body == "redacted" {
			body, redacted = "", "true"
		}
		rows = append(rows, strings.Join([]string{c[0], fmt.Sprint(last[c[0]]), c[1], what, author[0], author[1], agent, c[3],
			assigned[0], assigned[1], assigned[2], assigned[3], body, strings.TrimSpace(tags.ReplaceAllString(body, "")), redacted, c[6]}, "|"))
	}
	return insertRows("conversation_parts", "conversation_id|id|created_at|part_type|author_type|author_id|from_ai_agent|state|"+
		"assigned_to_type|assigned_to_id|admin_assignee_id|team_assignee_id|body|text|redacted|_api_version", rows...)
}

// goldenCases are the golden cases that most models share. Office hours are Monday to Friday, 9 to 17 in Dublin, where clocks go back on
// Sunday, 25 October 2026: 8 to 16 UTC before, 9 to 17 after. What was read ends on 30 October, 12:00.
func goldenCases() []string {
	const read = "2026-10-30 12:00:00"
	return []string{
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type|source_author_id|statistics_count_conversation_parts|rating|rating_teammate_type|sla_name|sla_status|_synced_at",
			"bot      |2026-10-19 10:00:00|2026-10-19 11:00:00|closed|user|u1 |5   | |     |Gold|hit      |"+read, // a bot closes before any human speaks
			"hidden   |2026-10-20 09:00:00|2026-10-20 10:00:00|closed|lead|l1 |5   | |     |Gold|missed   |"+read, // the admin's reply is in an assignment
			"skip     |2026-10-21 12:00:00|2026-10-21 12:40:00|closed|user|u2 |4   |4|admin|Gold|cancelled|"+read, // skip_reopen
			"robin    |2026-10-22 08:00:00|2026-10-22 10:20:00|closed|user|u3 |6   |3|admin|    |         |"+read, // two teams and a round robin
			"removed  |2026-10-23 09:00:00|2026-10-23 10:10:00|open  |user|u4 |7   | |     |Gold|active   |"+read, // removed team, removed teammate, unassigned
			"capped   |2026-10-01 10:00:00|2026-10-12 10:10:00|open  |admin|1 |1200| |     |    |         |"+read, // capped parts
			"saturday |2026-10-23 15:50:00|2026-10-26 09:30:00|closed|user|u7 |4   | |     |4h  |hit      |"+read, // a part at 23:59 on a Saturday
			"outbound |2026-10-18 23:30:00|2026-10-19 08:00:00|closed|admin|1 |0   | |     |    |         |"+read, // nobody answered it
			"merged   |2026-10-13 09:00:00|2026-10-13 09:20:00|closed|lead|l9 |3   | |     |4h  |missed   |"+read, // by a lead who was merged since
			"merged2  |2026-10-16 09:00:00|2026-10-16 10:00:00|closed|user|u9 |2   | |     |    |         |"+read, // by the survivor
			"deleted  |2026-10-14 09:00:00|2026-10-14 09:50:00|closed|user|u7 |2   | |     |    |other    |"+read, // answered by an admin who was deleted since
			"redacted |2026-10-15 09:00:00|2026-10-15 11:00:00|open  |user|u8 |3   | |     |    |         |"+read, // redacted parts
			"rated    |2026-10-20 14:00:00|2026-10-20 14:20:00|closed|user|u2 |2   | |admin|    |         |"+read, // a rating requested and not given
			"old      |2026-10-16 12:00:00|2026-10-16 12:50:00|open  |user|u10|4   | |     |    |         |"+read, // read by a version without assignee fields
			"snoozed  |2026-10-27 10:00:00|2026-10-29 00:00:00|closed|user|u11|2   | |     |    |         |"+read, // closed at midnight
			"midnight |2026-10-29 00:00:00|2026-10-29 00:00:00|open  |user|u12|    | |     |    |         |"+read, // begun at midnight
		),
		insertParts(`
			bot      | 2026-10-19 10:00:30 | comment by bot 70      | open   | | What is it about?
			bot      | 2026-10-19 10:05:00 | close by bot 70        | closed
			bot      | 2026-10-19 10:30:00 | comment by user u1     | open   | | Still there?
			bot      | 2026-10-19 10:40:00 | comment by admin 1     | open   | | Yes.
			bot      | 2026-10-19 11:00:00 | close by admin 1       | closed
			hidden   | 2026-10-20 09:10:00 | note by admin 1        | open   | | Who knows this?
			hidden   | 2026-10-20 09:20:00 | assignment by admin 1  | open   | admin 2 2 -
			hidden   | 2026-10-20 09:30:00 | assignment by admin 2  | open   | team t1 - t1 | My colleagues will look into it.
			hidden   | 2026-10-20 09:50:00 | comment by lead l1     | open   | | Thanks.
			hidden   | 2026-10-20 10:00:00 | close by admin 2       | closed
			skip     | 2026-10-21 12:10:00 | comment by admin 1     | open   | | Done.
			skip     | 2026-10-21 12:20:00 | close by admin 1       | closed
			skip     | 2026-10-21 12:30:00 | assignment by admin 1  | closed | admin 2 2 -
			skip     | 2026-10-21 12:40:00 | note by admin 1        | closed | | For the record.
			robin    | 2026-10-22 08:00:10 | assignment by bot 70   | open   | team t1 - t1
			robin    | 2026-10-22 08:30:10 | assignment by bot 70   | open   | admin 3 3 t2
			robin    | 2026-10-22 08:50:00 | comment by admin 3     | open   | | Hello.
			robin    | 2026-10-22 09:00:00 | close by admin 3       | closed
			robin    | 2026-10-22 10:00:00 | assign_and_reopen by admin 1 | open | admin 4 4 -
			robin    | 2026-10-22 10:20:00 | close by admin 4       | closed
			removed  | 2026-10-23 09:10:00 | assignment by bot 70   | open   | admin 1 1 t1
			removed  | 2026-10-23 09:20:00 | assignment by bot 70   | open   | nobody_admin - - 0
			removed  | 2026-10-23 09:30:00 | assignment by bot 70   | open   | team t2 - t2
			removed  | 2026-10-23 09:40:00 | assignment by bot 70   | open   | nobody_admin - 0 -
			removed  | 2026-10-23 09:50:00 | assignment by bot 70   | open   | admin 2 2 -
			removed  | 2026-10-23 10:00:00 | assignment by bot 70   | open   | nobody_admin - - -
			removed  | 2026-10-23 10:10:00 | assignment_unchanged by bot 70 | open
			capped   | 2026-10-12 10:00:00 | comment by user u5     | open   | | As I said 1,198 parts ago
			capped   | 2026-10-12 10:10:00 | comment by ai 71       | open   | | I see.
			saturday | 2026-10-24 22:59:00 | comment by admin 1     | open   | | I am up late.
			saturday | 2026-10-24 22:59:30 | comment by user u7     | open   | | So am I.
			saturday | 2026-10-26 09:15:00 | comment by admin 2     | open   | | Good morning.
			saturday | 2026-10-26 09:30:00 | close by admin 2       | closed
			merged   | 2026-10-13 09:05:00 | comment by lead l9     | open   | | Hello?
			merged   | 2026-10-13 09:15:00 | comment by admin 1     | open   | | Hello.
			merged   | 2026-10-13 09:20:00 | close by admin 1       | closed
			merged2  | 2026-10-16 09:30:00 | comment by admin 1     |        | | Again?
			merged2  | 2026-10-16 10:00:00 | close by admin 1       |
			deleted  | 2026-10-14 09:45:00 | comment by admin 99    | open   | | My last day.
			deleted  | 2026-10-14 09:50:00 | close by admin 99      | closed
			redacted | 2026-10-15 09:30:00 | assignment by admin 1  | open   | admin 1 1 - | redacted
			redacted | 2026-10-15 10:00:00 | comment by user u8     | open   | | redacted
			redacted | 2026-10-15 11:00:00 | comment by admin 1     | open   | | redacted
			rated    | 2026-10-20 14:10:00 | comment by admin 1     | open   | | Done.
			rated    | 2026-10-20 14:20:00 | close by admin 1       | closed
			old      | 2026-10-16 12:10:00 | assignment by bot 70   | open   | team t1 - -  | | 2.16
			old      | 2026-10-16 12:20:00 | assignment by bot 70   | open   | admin 1 - -  | | 2.16
			old      | 2026-10-16 12:40:00 | assignment by bot 70   | open   | nobody_admin - - - | | 2.16
			old      | 2026-10-16 12:50:00 | comment by admin 1     | open   | | Nobody has it, so I do. | 2.16
			snoozed  | 2026-10-27 12:00:00 | snoozed by admin 1     | snoozed
			snoozed  | 2026-10-29 00:00:00 | close by admin 2       | closed`),
		insertRows("conversation_contacts", "conversation_id|contact_id", "bot|u1", "hidden|l1", "skip|u2", "robin|u3", "removed|u4", "capped|u5", "saturday|u7",
			"outbound|u1", "merged|l9", "merged2|u9", "deleted|u7", "redacted|u8", "rated|u2", "old|u10", "snoozed|u11", "midnight|u12"),
		insertRows("_raw.contacts_raw", "id|role|created_at", "l9|lead|2026-01-01 00:00:00", "u9|user|2026-01-01 00:00:00"),
		insertRows("contact_lifecycle", "id|lifecycle|merged_into_id|reason|record_from", "l9|merged|u9|event|search"),
		insertRows("admins_all", "id|name", "1|Ada", "2|Bo", "3|Cleo", "4|Dan"),
	}
}
