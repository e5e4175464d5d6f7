// Package goldentest compares a text with the file that holds what is expected of it.
package goldentest

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update writes the files anew, where a test is run with -update; git then shows what is different.
var Update = flag.Bool("update", false, "write the expected texts")

// Compare fails a test whose text is not that of the file, and shows the difference. With -update it writes the file.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
