package schemas

import (
	"os"
	"path/filepath"
	"testing"

	"aqueduck/internal/formtest"
)

func TestARequiredKeyOfAStreamFileHasAnExample(t *testing.T) {
	t.Parallel()
	formtest.CheckExamples(t, Spec())
}

// TestTheEditorsSchemaOfStreamFilesAgreesWithTheCheck over the built-in files, those that are wrong, and variants of some.
func TestTheEditorsSchemaOfStreamFilesAgreesWithTheCheck(t *testing.T) {
	t.Parallel()
	pair := formtest.New(t, Spec(), false)
	for pattern, right := range map[string]bool{"*.yaml": true, "testdata/bad/*.yaml": false} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 30 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pair.CheckAgreement(file, text)
			if _, schema, there := pair.Validate(text); right && (!there || schema != nil) {
				t.Errorf("%s: %v", file, schema)
			}
		}
	}
	for _, file := range []string{"folders.yaml", "calls.yaml", "hitl_events.yaml", "reporting.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pair.CheckVariants(text, 41)
	}
}
