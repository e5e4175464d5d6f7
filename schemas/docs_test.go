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
	if diff := cmp.Diff(Docs(builtins(t)), string(got)); diff != "" {
		t.Errorf("make docs would change it (-want +got):\n%s", diff)
	}
}

func TestTheExampleOfTheGrammarIsAStream(t *testing.T) {
	t.Parallel()
	c := builtins(t)
	_, text, _ := strings.Cut(Docs(c), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	if err := c.Add("docs/streams.md", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Stream("help_centers"); !ok {
		t.Error("it is not in the catalogue")
	}
}
