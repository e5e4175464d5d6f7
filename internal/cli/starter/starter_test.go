package starter

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/config"
	"aqueduck/internal/formtest"
)

// TestStarterFilesAreValidWithEveryCommentedKey removes the comment signs before keys: those examples are valid too.
func TestStarterFilesAreValidWithEveryCommentedKey(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS("../../config/testdata/complete")); err != nil {
		t.Fatal(err)
	}
	hidden := regexp.MustCompile(`(?m)^( *)# ((?:  )*"?[a-z_*]+"?: )`)
	if n := len(hidden.FindAllString(configTemplate, -1)); n < 10 {
		t.Fatalf("%d keys are hidden by comments", n)
	}
	pair := formtest.New(t, config.ConfigSpec(), true)
	none := func(string) (string, bool) { return "", false }
	own, _, err := config.LoadConfig("../../../pipelines.yaml", none)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{configText(false, "data"), configText(true, "data"), hidden.ReplaceAllString(configText(false, "data"), "$1$2")} {
		if !strings.HasPrefix(text, "# yaml-language-server: $schema=./pipelines.schema.json\n") {
			t.Errorf("editors are not told of the schema:\n%s", text)
		}
		if _, schema, there := pair.Validate([]byte(text)); !there || schema != nil {
			t.Errorf("the schema says %v of\n%s", schema, text)
		}
		file := filepath.Join(home, "pipelines.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, _, err := config.LoadConfig(file, none)
		if err != nil || c.Warnings != nil {
			t.Fatalf("%v %v\n%s", err, c, text)
		}
		if diff := cmp.Diff(own.Pipelines[0].Streams, c.Pipelines[0].Streams); diff != "" {
			t.Errorf("it does not read what this project's own pipeline does:\n%s", diff)
		}
		// A user's own hours are usual ones. Those of the embedded workspace, which the demo has too, are its team's.
		office := c.Warehouse.Office
		if diff := cmp.Diff(own.Warehouse.Office, office); text == configText(true, "data") && diff != "" {
			t.Errorf("office hours, which the demo has too: %s", diff)
		}
		if text != configText(true, "data") && fmt.Sprint(office.Hours) != "[{1 09:00 17:00} {2 09:00 17:00} {3 09:00 17:00} {4 09:00 17:00} {5 09:00 17:00}]" {
			t.Errorf("usual office hours: %v", office.Hours)
		}
	}
}
