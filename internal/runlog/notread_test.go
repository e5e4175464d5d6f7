package runlog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/config"
)

func TestAFamilyOfDatasetsIsReadWhenOneOfThemIs(t *testing.T) {
	t.Parallel()
	c := &config.Config{
		NameList:  []string{"main"},
		Pipelines: []*config.Pipeline{{Name: "nightly", Streams: []string{"contacts", "reporting", "tags"}, Families: []string{"reporting"}}},
	}
	for dataset, want := range map[string][]string{"reporting_conversation": {"tags"}, "reportings": {"reporting", "tags"}} {
		s := Status{Streams: []StreamStatus{{Workspace: "main", Stream: "contacts"}, {Workspace: "main", Stream: dataset}}}
		s.findNotRead(c)
		if diff := cmp.Diff([]NotRead{{Pipeline: "nightly", Streams: want}}, s.NotRead); diff != "" {
			t.Errorf("%s was read (-want +got):\n%s", dataset, diff)
		}
	}
}
