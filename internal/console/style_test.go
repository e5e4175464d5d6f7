package console

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheStyleHasOneScale: every size of text is one of five, and every length between things is one of seven, so that no page looks as if it came from elsewhere.
func TestTheStyleHasOneScale(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("assets/console.css")
	if err != nil {
		t.Fatal(err)
	}
	sizes := []string{"var(--fine)", "var(--small)", "var(--large)", "var(--title)", ".88em", "12px", "11px"} // code beside words; the server measures the texts of a lineage
	lengths := strings.Fields("0 auto .125rem .25rem .5rem .75rem 1rem 1.5rem 2rem")
	size := regexp.MustCompile(`font-size: ([^;}]+?)\s*[;}]`)
	between := regexp.MustCompile(`(?:margin|padding)[a-z-]*: ([^;}]+)|gap: ([^;}]+)`)
	length := regexp.MustCompile(`(?:^|[\s,(])-?(\d*\.?\d+(?:rem|em|px|ch))`)
	seen := 0
	for n, line := range strings.Split(string(text), "\n") {
		for _, found := range size.FindAllStringSubmatch(line, -1) {
			if seen++; !slices.Contains(sizes, found[1]) {
				t.Errorf("line %d: text of size %s", n+1, found[1])
			}
		}
		for _, found := range between.FindAllStringSubmatch(line, -1) {
			for _, one := range length.FindAllStringSubmatch(found[1]+found[2], -1) {
				if seen++; !slices.Contains(lengths, one[1]) && one[1] != "590px" { // half of the page's width
					t.Errorf("line %d: %s is %s", n+1, found[0], one[1])
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d sizes and lengths are found", seen)
	}
}
