package schemas

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThePageOfTheGrammarIsUpToDate(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("../docs/streams.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Docs(loadBuiltins(t)), string(got)); diff != "" {
		t.Errorf("make docs would change it (-want +got):\n%s", diff)
	}
}

func TestTheExampleOfTheGrammarIsAStream(t *testing.T) {
	t.Parallel()
	c := loadBuiltins(t)
	_, text, _ := strings.Cut(Docs(c), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	if err := c.AddStream("docs/streams.md", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Stream("email_settings"); !ok {
		t.Error("it is not in the catalogue")
	}
}

// TestTheFirstSentenceOfEachTableIsItsGrain checks the descriptions of streams, of children and of relations.
func TestTheFirstSentenceOfEachTableIsItsGrain(t *testing.T) {
	t.Parallel()
	c := loadBuiltins(t)
	docs := map[string]string{}
	for _, s := range c.Streams() {
		docs[s.Name] = s.Doc
		for _, child := range s.Children {
			docs[s.Name+"."+child.Table] = child.Doc
		}
		if s.PublishAs == "" {
			continue
		}
		relations, err := c.Relations(s.PublishAs)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range relations {
			docs[s.Name+"."+r.Name] = r.Doc
		}
	}
	for name, doc := range docs {
		if grain, _, _ := strings.Cut(doc, ". "); !strings.HasPrefix(grain, "One row per ") || len(grain) <= len("One row per ") {
			t.Errorf("%s: its first sentence is not its grain: %s", name, doc)
		}
	}
}
