package pipeline_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// TestModelTablesOfChangedConversationsEqualTheWhole lets a workspace live, and reads it again and again. After each run every model that is made only for
// the conversations that changed has the rows of its SQL over all of them. Contacts are erased, a run reads everything again, and the office hours change.
func TestModelTablesOfChangedConversationsEqualTheWhole(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	for seed := range uint64(lane.Cases(1, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(900 + seed)
			c.Conversations = 40
			b := newBed(t, c).publishingAll()
			withConversations := strings.Replace(nightly, "contact_activities]", "contact_activities, conversations, deleted_conversations]", 1)
			b.writeConfig(withConversations)
			l := newLife(b, seed)
			events := append(l.conversationEvents(), l.contactEvents()...)
			for round := range 6 {
				for range 6 {
					b.space.Advance(time.Duration(1+l.rollDice(90)) * time.Second)
					_ = events[l.rollDice(len(events))].do() // an event may find no record
				}
				b.space.Advance(time.Hour)
				if round == 5 {
					b.writeConfig(strings.Replace(withConversations, "{dir: data}", `{dir: data, office_hours: {monday: "09:00-17:00", saturday: "10:00-12:00"}}`, 1))
				}
				if report := b.syncOnce(runner.Options{FullRefresh: round == 3}); len(report.Notes) > 0 {
					t.Fatal(report.Notes)
				}
				for _, name := range b.keyedTables() {
					if other := b.differingRows(name); other != "0|0" {
						t.Errorf("round %d: models.%s has rows that its SQL has not, and lacks others: %s", round, name, other)
					}
				}
			}
		})
	}
}

// keyedTables are the models that are stored as tables and made only for changed keys.
func (b *testBed) keyedTables() (names []string) {
	b.t.Helper()
	for _, m := range b.runner.Config.Models {
		if len(m.ChangedBy) > 0 && m.Kind == "table" {
			names = append(names, m.Name)
		}
	}
	if len(names) < 4 {
		b.t.Fatalf("keyed tables are %v", names)
	}
	return names
}

// differingRows counts the rows that a model's table has and its SQL over all stored rows has not, and the other way round.
func (b *testBed) differingRows(name string) string {
	b.t.Helper()
	db, err := sql.Open("duckdb", "?threads=1")
	b.failOn(err)
	db.SetMaxOpenConns(1)
	defer func() { b.failOn(db.Close()) }()
	statements := []string{"ATTACH '" + b.runner.Dir.Current() + "' AS w (READ_ONLY)", "SET TimeZone = 'UTC'", "CREATE SCHEMA whole"}
	all, err := models.Builtin()
	b.failOn(err)
	for made := []string{"office_hours"}; ; {
		i := slices.IndexFunc(all, func(m schemas.Relation) bool {
			return !slices.Contains(made, m.Name) && (len(m.ChangedBy) > 0 || m.Name == "assigned_bots") && !readsAnother(m, made)
		})
		if i < 0 {
			break
		}
		query := strings.NewReplacer("{schema}", "w.main", "{models}.office_hours", "w.models.office_hours", "{models}", "whole", "{timezone}", "'UTC'").Replace(all[i].SQL)
		statements, made = append(statements, "CREATE VIEW whole."+all[i].Name+" AS "+query), append(made, all[i].Name)
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			b.t.Fatalf("%v\n%s", err, statement)
		}
	}
	var stored, lacking int
	b.failOn(db.QueryRow("SELECT (SELECT count(*) FROM (FROM w.models."+name+" EXCEPT ALL FROM whole."+name+")), (SELECT count(*) FROM (FROM whole."+name+" EXCEPT ALL FROM w.models."+name+"))").Scan(&stored, &lacking))
	return fmt.Sprintf("%d|%d", stored, lacking)
}

// readsAnother reports whether a model reads one that is not among names.
func readsAnother(m schemas.Relation, names []string) bool {
	for _, rest := range strings.Split(m.SQL, "{models}.")[1:] {
		name := strings.FieldsFunc(rest, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })[0]
		if !slices.Contains(names, name) {
			return true
		}
	}
	return false
}
