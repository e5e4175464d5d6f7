package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestTheTablesOfALittleTree compares the tables with the numbers of tools/structure's own test.
func TestTheTablesOfALittleTree(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := printMeasures(&out, "../structure/testdata/little", "", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| lines | 82 |\n", "| comment lines | 14 % |\n", "| test/code | 6 % |\n", "| fn > 60 | 0.0 % (0) |\n", "| cx max | 4 |\n", "| packages | 2 |\n",
		"| biggest package | 53 (shelf) |\n", "| files / pkg | 2.0 |\n", "| documented | 75 % |\n", "| one word, not exported | 100 % |\n", "| names defined 5 times | 0 |\n", "| duplicate pairs / 1k lines | 12.2 |\n",
		"| shelf | 3 | 2 (67 %) | 75 % |\n", "\nIn the other 1 of 2 packages no file needs another in a circle.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, out.String())
		}
	}
	if err := printMeasures(&out, "testdata/nowhere", "", false); err == nil {
		t.Error("a directory that is not there was measured")
	}
}
