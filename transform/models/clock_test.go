package models_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestNoModelAsksForTheTime: a publish makes the table of a model again only where a row that it reads has changed (decision 0045). Relations count too:
// models read them.
func TestNoModelAsksForTheTime(t *testing.T) {
	t.Parallel()
	clock := regexp.MustCompile(`(?i)\b(now|today|age|random|uuid|gen_random_uuid|get_current_\w+|transaction_timestamp)\s*\(|\b(current_(date|time|timestamp|localtime|localtimestamp)|localtime|localtimestamp)\b`)
	files := 0
	for _, pattern := range []string{"*.sql", "../../schemas/*.sql", "../compat/*/*.sql"} {
		list, err := filepath.Glob(pattern)
		must(t, err)
		files += len(list)
		for _, file := range list {
			text, err := os.ReadFile(file)
			must(t, err)
			if asks := clock.FindString(regexp.MustCompile(`--.*`).ReplaceAllString(string(text), "")); asks != "" {
				t.Errorf("%s asks for the time or for chance: %s", file, asks)
			}
		}
	}
	if files < 40 {
		t.Errorf("only %d files were read", files)
	}
}
