package compat_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/readtest"
	"aqueduck/transform/compat"
)

// demoStart is hour 0 of the demo.
var demoStart = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// demoConfig reads what the figures are measured on, with the office hours of the demo, which are those of its team.
func demoConfig() string {
	hours, holidays := emulator.OfficeHours(demoStart)
	return fmt.Sprintf(`version: 1
compat: fivetran
warehouse:
  dir: data
  timezone: UTC
  parquet: none
  office_hours: {monday: %[1]s, tuesday: %[1]s, wednesday: %[1]s, thursday: %[1]s, friday: %[1]s, holidays: [%[2]s]}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
pipelines: {all: {streams: [%[3]s, deleted_contacts, deleted_conversations, reporting_conversation]}}
`, hours, strings.Join(holidays, ", "), strings.Join(compat.Streams(), ", "))
}

// openDemo opens the warehouse of the demo's population at its full size, without the streams that no figure needs.
func openDemo(t *testing.T) *testFile {
	t.Helper()
	space := emulator.New(emulator.Config{Seed: 1, Population: emulator.Team, Start: demoStart, RatePerMinute: 60_000, NoLog: true})
	r, end, err := readtest.NewRunner(t.TempDir(), demoConfig(), space)
	must(t, err)
	defer end()
	file, err := readtest.PublishOnce(t.Context(), r)
	must(t, err)
	content, err := os.ReadFile(file)
	must(t, err)
	f := openCopy(t, content)
	f.execSQL("SET TimeZone = 'UTC'")
	for _, made := range rules {
		f.execSQL(made)
	}
	return f
}

// rules are what other tools measure, written as SQL: one row for each conversation.
var rules = []string{
	// The package's own SQL was run once over the same file. Its results were those of this table.
	`CREATE TABLE package AS
	SELECT c.id, any_value(c.state) AS state, any_value(c.conversation_rating_value) AS rating, any_value(c.assignee_id) AS assignee_id, count(p.id) AS parts,
		min(p.created_at) FILTER (p.part_type = 'comment' AND p.author_type IN ('lead', 'user')) AS first_contact_reply_at,
		min(p.created_at) FILTER (p.part_type IN ('comment', 'assignment') AND p.author_type = 'admin' AND p.body IS NOT NULL) AS first_response_at,
		count(*) FILTER (p.part_type LIKE '%assignment%') AS assignments, count(*) FILTER (p.part_type = 'open') AS reopens,
		min(p.created_at) FILTER (p.part_type = 'close') AS first_close_at, max(p.created_at) FILTER (p.part_type = 'close') AS last_close_at,
		arg_max(p.author_id, p.created_at) FILTER (p.part_type = 'close' AND p.author_type = 'admin') AS closed_by,
		arg_min(p.author_id, p.created_at) FILTER (p.author_type IN ('lead', 'user')) AS first_contact,
		epoch(first_response_at) - epoch(any_value(c.created_at)) AS time_to_first_response, epoch(first_close_at) - epoch(first_contact_reply_at) AS time_to_first_close,
		epoch(last_close_at) - epoch(first_contact_reply_at) AS time_to_last_close
	FROM fivetran.conversation_history c LEFT JOIN fivetran.conversation_part_history p ON p.conversation_id = c.id WHERE c._fivetran_active GROUP BY c.id`,
	`CREATE TABLE explore AS
	SELECT c.id, first_reply_at, replies, first_reply_at - c.created_at AS first_reply, coalesce(s.stations, 0) AS stations, coalesce(i.reopens, 0) AS reopens, waited,
		CASE WHEN c.state = 'closed' THEN epoch(last_close_at) - epoch(c.created_at) END AS full_resolution, epoch(first_close_at) - epoch(c.created_at) AS first_resolution,
		CASE WHEN c.state = 'closed' THEN coalesce(replies, 0) = 1 END AS one_touch
	FROM main.conversations c JOIN models.conversation_metrics m ON m.conversation_id = c.id
	LEFT JOIN (SELECT conversation_id, min(sent_at) AS first_reply_at, count(*) AS replies FROM models.conversation_messages WHERE author_kind = 'human' AND part_id <> 'source' GROUP BY ALL) r
		ON r.conversation_id = c.id
	LEFT JOIN (SELECT conversation_id, count(*) AS stations FROM (
			SELECT conversation_id, admin_id, lag(admin_id) OVER (PARTITION BY conversation_id ORDER BY began_at) AS before FROM models.assignment_intervals WHERE admin_id IS NOT NULL AND NOT admin_is_bot
		) WHERE admin_id IS DISTINCT FROM before GROUP BY ALL) s ON s.conversation_id = c.id
	LEFT JOIN (SELECT conversation_id, count(*) FILTER (reopened AND state = 'open') AS reopens, sum(epoch(ended_at) - epoch(began_at)) FILTER (state IN ('open', 'sent')) AS waited
		FROM models.state_intervals GROUP BY ALL) i ON i.conversation_id = c.id`,
	`CREATE TABLE ours AS SELECT m.*, f.resolved, COLUMNS('^statistics_') FROM models.conversation_metrics m JOIN models.first_contact_resolution f USING (conversation_id)
		JOIN main.conversations c ON c.id = m.conversation_id`,
	`CREATE TABLE former AS
	SELECT c.id, first_response_at, epoch(first_response_at) - epoch(c.created_at) AS time_to_first_response, coalesce(assignments, 0) AS assignments, handled, coalesce(i.reopens, 0) AS reopens, wrote_at,
		CASE WHEN f.first_closed_at IS NULL OR wrote_at IS NULL THEN NULL WHEN i.reopens > 0 OR f.next_conversation_at <= f.first_closed_at + INTERVAL 168 HOURS THEN false
			WHEN f.first_closed_at + INTERVAL 168 HOURS <= (SELECT max(_synced_at) FROM main.conversations) THEN true END AS resolved
	FROM (SELECT c.*, least(CASE WHEN source_author_type IN ('user', 'lead') THEN created_at END, p.wrote_at) AS wrote_at, p.* EXCLUDE (id, wrote_at) FROM main.conversations c LEFT JOIN (
		SELECT conversation_id AS id, min(created_at) FILTER (part_type = 'comment' AND author_type IN ('user', 'lead')) AS wrote_at,
			min(created_at) FILTER (author_type = 'admin' AND NOT coalesce(from_ai_agent OR is_ai_answer, false) AND (part_type = 'comment' OR part_type IN ('assignment', 'assign_and_reopen') AND (has_words OR redacted))) AS first_response_at,
			count(*) FILTER (coalesce(assigned_to_type, admin_assignee_id, team_assignee_id) IS NOT NULL) AS assignments
		FROM main.conversation_parts GROUP BY ALL) p ON p.id = c.id) c
	JOIN models.first_contact_resolution f ON f.conversation_id = c.id
	LEFT JOIN (SELECT conversation_id, sum(seconds) AS handled FROM (
			SELECT conversation_id, coalesce(assigned_to_type, '') <> 'nobody_admin' AND (assigned_to_type IS NOT NULL OR admin_assignee_id <> '0' OR team_assignee_id <> '0') AS begins,
				epoch(lead(created_at) OVER (PARTITION BY conversation_id ORDER BY created_at, length(id), id)) - epoch(created_at) AS seconds
			FROM main.conversation_parts WHERE part_type = 'close' OR coalesce(assigned_to_type, admin_assignee_id, team_assignee_id) IS NOT NULL
		) WHERE begins GROUP BY ALL) h ON h.conversation_id = c.id
	LEFT JOIN (SELECT conversation_id, count(*) FILTER (state = 'open' AND before = 'closed') AS reopens
		FROM (SELECT *, lag(state) OVER (PARTITION BY conversation_id ORDER BY number) AS before FROM models.state_intervals) GROUP BY ALL) i ON i.conversation_id = c.id`,
	"CREATE TABLE moved AS SELECT o.*, COLUMNS(p.* EXCLUDE (id)) AS 'former_\\0', e.waited AS explore_waited FROM ours o JOIN former p ON p.id = o.conversation_id JOIN explore e ON e.id = o.conversation_id",
	"CREATE TABLE compared AS SELECT o.*, o.conversation_id AS id, COLUMNS(p.* EXCLUDE (id, state, rating)) AS 'their_\\0', COLUMNS(e.* EXCLUDE (id)) AS 'explore_\\0' FROM ours o JOIN package p ON p.id = o.conversation_id JOIN explore e ON e.id = o.conversation_id",
}

// figure gives what one statement returns, as pages write it: with commas between thousands.
func (f *testFile) figure(query string) string {
	f.t.Helper()
	rows := f.rowTexts("SELECT " + query)
	if len(rows) != 1 {
		f.t.Fatalf("%d rows: %s", len(rows), query)
	}
	whole, fraction, broken := strings.Cut(rows[0], ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if broken && strings.Trim(fraction, "0") != "" {
		whole += "." + fraction
	}
	return whole
}

var statement = regexp.MustCompile(`\{[^}]+\}`)

// fill replaces each statement in braces with its figure.
func (f *testFile) fill(text string) string {
	return statement.ReplaceAllStringFunc(text, func(found string) string { return f.figure(found[1 : len(found)-1]) })
}

// packageRows are the rows of docs/moving.md: measure, package, models, why.
var packageRows = [][4]string{
	{"conversations", "{count(*) FROM package}", "{count(*) FROM ours}", "the same"},
	{"their parts", "{sum(parts) FROM package}", "{sum(parts_stored) FROM ours}", "the same. Of a conversation with more than 500 parts, both have the newest 500"},
	{"first and last close", "{count(first_close_at) FROM package}", "{count(first_close_at) FROM ours}", "the same instants"},
	{"ratings, and their mean", "{count(rating) FROM package}, {round(avg(rating), 2) FROM package}", "{count(rating) FROM ours}, {round(avg(rating), 2) FROM ours}", "the same"},
	{"articles, views", "{count(*) FROM fivetran.article_history WHERE _fivetran_active}, {sum(statistics_views) FROM fivetran.article_history WHERE _fivetran_active}",
		"{count(*) FROM models.article_effectiveness}, {sum(views) FROM models.article_effectiveness}", "the same"},
	{"active contacts", "{count(*) FROM fivetran.contact_history WHERE _fivetran_active}", "{count(*) FROM main.contacts}",
		"the same. `contact_current` has {count(*) FROM models.contact_current} rows, because it has inactive contacts too"},
	{"conversations with a first response", "{count(first_response_at) FROM package}", "{count(first_human_response_at) FROM ours}",
		"{count(*) FROM compared WHERE timezone('UTC', first_human_response_at) IS NOT DISTINCT FROM their_first_response_at} of {count(*) FROM ours} conversations agree. " +
			"Ours counts only answers to a contact: in {count(*) FROM compared WHERE their_first_response_at IS NOT NULL AND first_contact_reply_at IS NULL} the contact never wrote, " +
			"in {count(*) FROM compared WHERE their_first_response_at < timezone('UTC', first_contact_reply_at)} the admin wrote first. " +
			"In {count(*) FROM compared SEMI JOIN (FROM main.conversation_parts WHERE author_type = 'admin' AND (from_ai_agent OR is_ai_answer)) a ON a.conversation_id = compared.conversation_id AND timezone('UTC', a.created_at) = their_first_response_at} " +
			"theirs is an answer that the AI agent signed with a teammate's name. Answers that came with a close are not in theirs: {count(*) FROM compared SEMI JOIN (FROM main.conversation_parts WHERE part_type IN ('close', 'snoozed', 'open')) a " +
			"ON a.conversation_id = compared.conversation_id AND a.created_at = first_human_response_at WHERE timezone('UTC', first_human_response_at) IS DISTINCT FROM their_first_response_at} here"},
	{"median time to it, in minutes", "{round(median(time_to_first_response) / 60) FROM package}", "{round(median(time_to_first_response_calendar) / 60) FROM ours}",
		"theirs begins at the creation, ours at the contact's first message"},
	{"assignments", "{sum(assignments) FROM package}", "{sum(assignments) FROM ours}",
		"theirs counts parts with `assignment` in their type: {sum(unassignments) FROM ours} only removed somebody. Parts of type `assign_and_reopen` are not in theirs: " +
			"{count(*) FROM main.conversation_parts WHERE part_type = 'assign_and_reopen'} here"},
	{"reopens", "{sum(reopens) FROM package}", "{sum(reopens) FROM ours}",
		"theirs counts parts of type `open`; {count(*) FROM models.state_intervals s JOIN main.conversation_parts p ON p.conversation_id = s.conversation_id AND p.created_at = s.began_at AND p.part_type = 'open' WHERE s.state = 'open' AND NOT s.reopened} " +
			"of them end a snooze. Ours counts each time a closed conversation becomes open or snoozed, most often by a message of the contact"},
	{"conversations with a time to first close", "{count(time_to_first_close) FROM package}", "{count(time_to_first_close) FROM ours}",
		"theirs begins at the first comment after the opening message: {count(*) FROM package WHERE time_to_first_close < 0} of them are negative. Ours begins at the contact's first message"},
	{"median of it, in minutes", "{round(median(time_to_first_close) / 60) FROM package}", "{round(median(time_to_first_close) / 60) FROM ours}", "for the same reason"},
	{"closed conversations, over companies", "{count(*) FROM package p JOIN fivetran.contact_history c ON c.id = p.first_contact AND c._fivetran_active JOIN fivetran.contact_company_history m ON m.contact_id = c.id " +
		"JOIN fivetran.company_history y ON y.id = m.company_id AND y._fivetran_active WHERE p.state = 'closed'}",
		"{sum(conversations - open_conversations - snoozed_conversations) FROM models.company_overview}",
		"theirs counts the contact who wrote the first part. Ours counts all contacts, merged ones, and the company that a conversation is filed under"},
	{"closes, over admins", "{count(*) FROM package p JOIN fivetran.admin a ON a.id = p.assignee_id SEMI JOIN fivetran.admin b ON b.id = p.closed_by WHERE p.state = 'closed'}",
		"{sum(closes) FROM models.admin_workload}",
		"theirs counts closed conversations that an admin is still assigned to, for who closed them last. Ours counts closes, in `admin_workload`"},
	{"rows of admins", "{count(*) FROM fivetran.admin LEFT JOIN fivetran.team_admin t ON t.admin_id = admin.id}", "–",
		"theirs has one row per admin and team, so sums over it count an admin of two teams twice. Nobody here is in two"},
	{"names of help centers", "0", "–", "the API sends no `help_center_id` in the default help center"},
}

// toolRows are the rows of docs/numbers.md: measure, here, the source's statistics, the package, Zendesk Explore's rules; "" where a tool has no such measure.
// A second statement behind a bar counts the conversations that have our value.
var toolRows = [][5]string{
	{"conversations with a first response", "count(first_human_response_at)", "count(statistics_first_admin_reply_at)|first_human_response_at IS NOT DISTINCT FROM statistics_first_admin_reply_at",
		"count(their_first_response_at)|timezone('UTC', first_human_response_at) IS NOT DISTINCT FROM their_first_response_at", "count(explore_first_reply_at)|first_human_response_at IS NOT DISTINCT FROM explore_first_reply_at"},
	{"time to it, median, in minutes", "round(median(time_to_first_response_calendar) / 60, 1)", "round(median(statistics_time_to_admin_reply) / 60, 1)|time_to_first_response_calendar IS NOT DISTINCT FROM statistics_time_to_admin_reply",
		"round(median(their_time_to_first_response) / 60, 1)|time_to_first_response_calendar IS NOT DISTINCT FROM their_time_to_first_response",
		"round(median(epoch(explore_first_reply)) / 60, 1)|time_to_first_response_calendar IS NOT DISTINCT FROM epoch(explore_first_reply)"},
	{"time to the first close, median, in hours", "round(median(time_to_first_close) / 3600, 1)", "round(median(statistics_time_to_first_close) / 3600, 1)|time_to_first_close IS NOT DISTINCT FROM statistics_time_to_first_close",
		"round(median(their_time_to_first_close) / 3600, 1)|time_to_first_close IS NOT DISTINCT FROM their_time_to_first_close", "round(median(explore_first_resolution) / 3600, 1)|time_to_first_close IS NOT DISTINCT FROM explore_first_resolution"},
	{"time to the last close, median, in hours", "round(median(time_to_last_close) / 3600, 1)", "round(median(statistics_time_to_last_close) / 3600, 1)|time_to_last_close IS NOT DISTINCT FROM statistics_time_to_last_close",
		"round(median(their_time_to_last_close) / 3600, 1)|time_to_last_close IS NOT DISTINCT FROM their_time_to_last_close", "round(median(explore_full_resolution) / 3600, 1)|time_to_last_close IS NOT DISTINCT FROM explore_full_resolution"},
	{"assignments", "sum(assignments)", "sum(statistics_count_assignments)|assignments = statistics_count_assignments", "sum(their_assignments)|assignments = their_assignments", "sum(explore_stations)|assignments = explore_stations"},
	{"reopens", "sum(reopens)", "sum(statistics_count_reopens)|reopens = statistics_count_reopens", "sum(their_reopens)|reopens = their_reopens", "sum(explore_reopens)|reopens = explore_reopens"},
	{"handling time, in days", "round(sum(handling_time) / 86400)", "round(sum(statistics_handling_time) / 86400)|handling_time IS NOT DISTINCT FROM statistics_handling_time", "",
		"round(sum(explore_waited) / 86400)"},
	{"reply time, median of medians, in minutes", "round(median(median_reply_time) / 60, 1)", "round(median(statistics_median_time_to_reply) / 60, 1)|median_reply_time IS NOT DISTINCT FROM statistics_median_time_to_reply", "", ""},
	{"resolved at first contact, in percent", "round(100.0 * count(*) FILTER (resolved) / count(resolved), 1)", "", "", "round(100.0 * count(*) FILTER (explore_one_touch) / count(explore_one_touch), 1)|resolved IS NOT DISTINCT FROM explore_one_touch"},
	{"backlog of the last midnight", "any_value((SELECT arg_max(backlog, backlog_date) FROM models.backlog_daily))", "", "",
		"any_value((SELECT count(*) FROM models.state_intervals s, (SELECT max(midnight_at) AS midnight FROM models.backlog_daily) WHERE state <> 'closed' AND began_at < midnight AND coalesce(ended_at > midnight, true)))"},
}

// movedRows are the definitions of docs/numbers.md that changed: measure, what it was, its former value, its value, whether both are equal in a conversation.
var movedRows = [][5]string{
	{"conversations with a first response", "a comment or an assignment with words, whether the contact had written or not; words with a close, a snooze or a reopening did not count", "count(former_first_response_at)", "count(first_human_response_at)", "former_first_response_at IS NOT DISTINCT FROM first_human_response_at"},
	{"time to it, median, in minutes", "from creation; negative where the conversation was imported", "round(median(former_time_to_first_response) / 60, 1)", "round(median(time_to_first_response_calendar) / 60, 1)", "former_time_to_first_response IS NOT DISTINCT FROM time_to_first_response_calendar"},
	{"conversations in which a contact wrote", "choices of quick replies did not count", "count(former_wrote_at)", "count(first_contact_reply_at)", "former_wrote_at IS NOT DISTINCT FROM first_contact_reply_at"},
	{"reopens", "from closed to open at once, not by way of a snooze", "sum(former_reopens)", "sum(reopens)", "former_reopens = reopens"},
	{"assignments", "what only removed somebody counted too", "sum(former_assignments)", "sum(assignments)", "former_assignments = assignments"},
	{"handling time, in days", "from an assignment to the next one or a close, with queues, bots and snoozes", "round(sum(former_handled) / 86400)", "round(sum(handling_time) / 86400)", "former_handled IS NOT DISTINCT FROM handling_time"},
	{"resolved at first contact, in percent", "also when nobody answered", "round(100.0 * count(*) FILTER (former_resolved) / count(former_resolved), 1)", "round(100.0 * count(*) FILTER (resolved) / count(resolved), 1)", "former_resolved IS NOT DISTINCT FROM resolved"},
	{"reply time, median of medians, in minutes", "answers of the AI agent and of workflows counted too; `median_reply_time_any` has it", "round(median(median_reply_time_any) / 60, 1)", "round(median(median_reply_time) / 60, 1)", "median_reply_time_any IS NOT DISTINCT FROM median_reply_time"},
	{"backlog of the last midnight", "with messages of the workspace that nobody has answered", toolRows[len(toolRows)-1][4], toolRows[len(toolRows)-1][1], ""},
}

// movedRow is a row of what changed.
func (f *testFile) movedRow(row [5]string) string {
	differ := "–"
	if row[4] != "" {
		differ = f.figure("count(*) FILTER (NOT (" + row[4] + ")) FROM moved")
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", row[0], row[1], f.figure(row[2]+" FROM moved"), f.figure(row[3]+" FROM moved"), differ)
}

// toolCell is a tool's value, and the share of conversations in which it is ours.
func (f *testFile) toolCell(cell string) string {
	if cell == "" {
		return "–"
	}
	value, agrees, shared := strings.Cut(cell, "|")
	if text := f.figure(value + " FROM compared"); !shared {
		return text
	} else {
		return text + "; " + f.figure("round(100.0 * count(*) FILTER ("+agrees+") / count(*), 1) FROM compared") + " %"
	}
}

// requireOfficeHoursOfTheTeam fails the test unless the times in office hours agree with the service levels of the source, which go by the hours in which
// the team works: a level that was missed took longer than its target. A human also works in these hours, with few exceptions.
func (f *testFile) requireOfficeHoursOfTheTeam() {
	f.t.Helper()
	f.expectRows(`SELECT count(*) > 20, count(*) FILTER (time_to_first_response_office <= CASE WHEN sla_name LIKE '%1 h' THEN 3600 ELSE 4 * 3600 END) FROM models.sla WHERE sla_status = 'missed'`, "true|0")
	f.expectRows(`SELECT count(*) FILTER (o.opens_at IS NOT NULL) / count(*) BETWEEN 0.9 AND 0.99 FROM models.conversation_messages m LEFT JOIN models.office_hours o ON m.sent_at >= o.opens_at AND m.sent_at < o.ends_at WHERE author_kind = 'human'`, "true")
}

// TestThePageOfDifferencesIsMeasuredOnTheDemo measures the figures of docs/moving.md and docs/numbers.md on the demo.
func TestThePageOfDifferencesIsMeasuredOnTheDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads the whole demo: make test runs it")
	}
	f := openDemo(t)
	f.requireOfficeHoursOfTheTeam()
	var moving, tools, reasons, moved strings.Builder
	moving.WriteString("\n| measure | package | `models` | why |\n|---|---:|---:|---|\n")
	for _, row := range packageRows {
		fmt.Fprintf(&moving, "| %s | %s | %s | %s |\n", row[0], f.fill(row[1]), f.fill(row[2]), f.fill(row[3]))
	}
	tools.WriteString("\n| measure | here | the source's own statistics | Fivetran's package | Zendesk Explore's rules |\n|---|---:|---:|---:|---:|\n")
	for _, row := range toolRows {
		fmt.Fprintf(&tools, "| %s | %s | %s | %s | %s |\n", row[0], f.toolCell(row[1]), f.toolCell(row[2]), f.toolCell(row[3]), f.toolCell(row[4]))
	}
	moved.WriteString("\n| measure | before | value before | value now | conversations that differ |\n|---|---|---:|---:|---:|\n")
	for _, row := range movedRows {
		moved.WriteString(f.movedRow(row))
	}
	reasons.WriteString("\n| measure | compared | agree | why the others do not |\n|---|---:|---:|---|\n")
	for _, row := range f.rowTexts(`SELECT measure, n, round(100.0 * a / n, 1), coalesce(why, '–') FROM (SELECT measure, count(*) AS n, count(*) FILTER (agrees) AS a FROM models.metric_drift WHERE source = 'statistics' GROUP BY measure)
		LEFT JOIN (SELECT measure, string_agg(why || ' ' || n, ', ' ORDER BY n DESC, why) AS why FROM (SELECT measure, why, count(*) AS n FROM models.metric_drift WHERE source = 'statistics' AND NOT agrees GROUP BY ALL) GROUP BY measure)
		USING (measure)`) {
		cells := strings.Split(row, "|")
		fmt.Fprintf(&reasons, "| `%s` | %s | %s %% | %s |\n", cells[0], f.figure(cells[1]), strings.TrimSuffix(cells[2], ".0"), cells[3])
	}
	for path, made := range map[string]map[string]string{"../../docs/moving.md": {"differences": moving.String() + "\n"}, "../../docs/numbers.md": {"tools": tools.String() + "\n", "moved": moved.String() + "\n", "reasons": reasons.String() + "\n"}} {
		text, err := os.ReadFile(path)
		must(t, err)
		want := string(text)
		for name, content := range made {
			want = replaceSection(t, want, name, content)
		}
		if *update {
			must(t, os.WriteFile(path, []byte(want), 0o644))
		} else if want != string(text) {
			t.Errorf("%s is not what the demo has: make docs", path)
		}
	}
}
