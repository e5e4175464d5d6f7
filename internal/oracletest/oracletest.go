// Package oracletest compares a published file with what a perfect reader of the emulated workspace would hold.
package oracletest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/load/read"
)

// truths are what the oracle is asked for and how the warehouse tells the same.
func truths() []truth {
	return []truth{
		{"contacts", "contacts", []string{"id", "workspace_id", "external_id", "role", "email", "email_verified", "phone", "name", "avatar",
			"custom_attributes:custom_attributes::VARCHAR", "owner_id", "unsubscribed_from_emails", "created_at", "updated_at", unfit("signed_up_at"), "last_seen_at", "last_replied_at",
			"last_contacted_at", "last_email_opened_at", "last_email_clicked_at", "language_override", "browser", "browser_version",
			"browser_language", "os", "location_country", "location_region", "location_city",
			"android_app_name", "android_app_version", "android_device", "android_os_version", "android_sdk_version", "android_last_seen_at",
			"ios_app_name", "ios_app_version", "ios_device", "ios_os_version", "ios_sdk_version", "ios_last_seen_at"}},
		{"contact_tags", "contact_tags JOIN contacts ON id = contact_id", []string{"contact_id", "tag_id", "url"}},
		{"contact_notes", "contact_notes JOIN contacts ON id = contact_id", []string{"contact_id", "note_id", "url"}},
		{"contact_companies", "contact_companies JOIN contacts ON id = contact_id", []string{"contact_id", "company_id"}},
		{"contact_social_profiles", "(SELECT s.* FROM contact_social_profiles s JOIN contacts c ON c.id = s.contact_id)",
			[]string{"contact_id", "position:_position", "name", "url"}},
		{"deleted_contacts", "deleted_contacts", []string{"id", "role", "status", "updated_at", "merged_into_id", "external_id", "email"}},
		{"contact_activities", "contact_activities", []string{"id", "event_type", "contact_id", "external_id", "role",
			"merge_source_id", "merge_target_id", "failure_reason", "created_at"}},
		{"contact_lifecycle", "(SELECT a.id, a.lifecycle, a.inactive_since, a.merged_into_id, i.current_contact_id FROM contacts_all a JOIN contact_identity i ON i.contact_id = a.id)",
			[]string{"id", "lifecycle", "inactive_since", "merged_into_id", "current_contact_id"}},
	}
}

// unfit is a column of times, some of which no clock ever showed: those are null, and in _extra as they were sent.
func unfit(column string) string {
	return column + ":coalesce(epoch(" + column + ")::BIGINT::VARCHAR, _extra->>'$." + column + "')"
}

// truth is one stream of the oracle and the relation that tells the same.
type truth struct {
	stream, relation string
	columns          []string // of the oracle; what stands for it here follows after a colon, where it has another name
}

// Equal compares every published relation with what a perfect reader would hold now. Nothing may be lost, doubled or
// stale, and nothing may be held of contacts whom the workspace has forgotten.
func Equal(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	kept := remember(space)
	compare(t, space, file, truths(), kept)
	there, err := Rows(file, "SELECT DISTINCT table_name FROM information_schema.tables")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, space, file, slices.DeleteFunc(slices.Concat(conversationTruths(), ticketTruths(), otherTruths()), func(truth truth) bool { return !slices.Contains(there, truth.stream) }), kept)
}

// Streams is Equal for a file that was made from some streams alone.
func Streams(t testing.TB, space *emulator.Workspace, file string, streams ...string) {
	t.Helper()
	all := slices.Concat(truths(), conversationTruths(), ticketTruths(), otherTruths())
	compare(t, space, file, slices.DeleteFunc(all, func(truth truth) bool { return !slices.Contains(streams, truth.stream) }), remember(space))
}

func compare(t testing.TB, space *emulator.Workspace, file string, truths []truth, kept *memory) {
	t.Helper()
	f := open(t, file)
	defer f.close()
	for _, truth := range truths {
		var ours, theirs []string
		for _, c := range truth.columns {
			theirName, ourName, found := strings.Cut(c, ":")
			if !found {
				ourName = theirName
			}
			theirs, ours = append(theirs, theirName), append(ours, ourName)
		}
		query := "SELECT " + strings.Join(ours, ", ") + " FROM " + truth.relation
		got, rows := readable(f.rows(query), space.Oracle(truth.stream), theirs)
		var want []string
		for _, row := range rows {
			values := make([]any, len(theirs))
			for i, name := range theirs {
				values[i] = kept.value(truth.stream, name, row)
			}
			want = append(want, join(values))
		}
		Same(t, truth.stream, got, want)
	}
}

// Rows asks a published file; each row is its values as text, separated by bars.
func Rows(file, query string) ([]string, error) {
	var rows []string
	err := read.Query(context.Background(), file, query, collect(&rows))
	return rows, err
}

func collect(rows *[]string) func([]string, []any) error {
	return func(_ []string, row []any) error {
		if row != nil {
			*rows = append(*rows, join(row))
		}
		return nil
	}
}

// published is a file that is asked several times: opening it costs more than most questions.
type published struct {
	testing.TB
	*read.Reader
}

func open(t testing.TB, file string) published {
	t.Helper()
	r, err := read.OpenReader(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	return published{t, r}
}

func (f published) rows(query string) (rows []string) {
	f.Helper()
	if err := f.Query(context.Background(), query, collect(&rows)); err != nil {
		f.Fatalf("%v\n%s", err, query)
	}
	return rows
}

func (f published) close() {
	f.Helper()
	if err := f.Close(); err != nil {
		f.Error(err)
	}
}

func join(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = plain(v)
	}
	return strings.Join(texts, "|")
}

// plain is a value as text, the same for one that the oracle gives and one that the warehouse stores.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "∅"
	case time.Time:
		return fmt.Sprint(v.Unix())
	}
	return fmt.Sprint(v)
}

// Same compares two sets of rows, in any order, and shows the first that are in one only.
func Same(t testing.TB, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return
	}
	if judge, ok := t.(Judge); ok {
		judge.Differ(what, only(got, want, len(got)), only(want, got, len(want)))
		return
	}
	t.Errorf("%s: %d rows here, %d in truth\nonly here:\n  %s\nonly in truth:\n  %s", what, len(got), len(want),
		strings.Join(only(got, want, 3), "\n  "), strings.Join(only(want, got, 3), "\n  "))
}

// Judge is a test that is told of every row that is in one of two sets only, and says itself what is wrong about it.
type Judge interface {
	Differ(what string, here, truth []string)
}

// only gives the first rows of a list that another one has not, or not as often.
func only(list, other []string, most int) (first []string) {
	left := map[string]int{}
	for _, row := range other {
		left[row]++
	}
	for _, row := range list {
		if left[row]--; left[row] < 0 && len(first) < most {
			first = append(first, row)
		}
	}
	return first
}
