package dictionary

import (
	"fmt"
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/models"
)

func TestLineageIsThatOfTheSQL(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	all, err := models.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for relation, want := range map[string]string{
		"contacts":              "[contact_activities contacts contacts_by_id deleted_contacts] > [contacts_all] > [models.company_overview]",
		"models.sla":            "[conversations conversations_by_id] > [conversations models.conversation_metrics] > []",
		"consultations":         "[hitl_events] > [hitl_events] > [models.consultations]",
		"reporting_calls":       "[reporting] > [] > []",
		"conversations_history": "[conversations conversations_by_id] > [] > []",
		"of nobody":             "[] > [] > []",
	} {
		l, err := FindLineage(catalogue, all, relation)
		if got := fmt.Sprint(l.Streams, " > ", l.Reads, " > ", l.ReadBy); err != nil || got != want {
			t.Errorf("%s: %s, not %s; %v", relation, got, want, err)
		}
	}
}
