package export

import (
	"slices"
	"testing"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/schemas"
)

// TestDatasetColumnsGetFlagsByName checks that the columns of a dataset get the flags that the family's file states for their names. A
// personal column refers to the contact and the conversation of its row, and to no one where the row names none.
func TestDatasetColumnsGetFlagsByName(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	family, ok := catalogue.Stream("reporting")
	if !ok {
		t.Fatal("there are no reports")
	}
	dataset := func(columns ...string) map[string]schemas.Column {
		e := &extract.Export{Dataset: "x"}
		for _, name := range columns {
			e.Columns = append(e.Columns, extract.ExportColumn{Name: name})
		}
		found := map[string]schemas.Column{}
		for _, c := range dictionary.DatasetStream(family, "reporting_x", e).Columns {
			found[c.Name] = c
		}
		return found
	}
	c := dataset("conversation_id", "contact_id", "contact_name", "subject", "teammate_name", "csat_score")
	for _, name := range []string{"contact_name", "subject"} {
		if !c[name].PII || !slices.Equal(c[name].Subjects, []string{"conversation_id", "contact_id"}) {
			t.Errorf("%s: %+v", name, c[name])
		}
	}
	if !c["contact_id"].Person || c["contact_id"].PII || c["conversation_id"].References != "conversations.id" || c["csat_score"].PII || c["teammate_name"].PII || c["_time"].PII {
		t.Errorf("%+v", c)
	}
	if c := dataset("contact_name", "state"); !c["contact_name"].PII || c["contact_name"].Subjects != nil {
		t.Errorf("a dataset without ids: %+v", c)
	}
}
