package structure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const little = "testdata/little"

// TestTheNumbersOfALittleTree compares with counts made by hand. Files in testdata and below _old do not count.
func TestTheNumbersOfALittleTree(t *testing.T) {
	t.Parallel()
	got, err := Measure(little)
	if err != nil {
		t.Fatal(err)
	}
	want := Numbers{
		Lines: 82, BlankLines: 11, CommentLines: 10, TestLines: 5,
		Files:        4,
		PackageLines: map[string]int{"box": 29, "shelf": 53},
		FileLines:    map[string]int{little + "/box/box.go": 29, little + "/shelf/book.go": 32, little + "/shelf/shelf.go": 8, little + "/shelf/width.go": 13},
		Functions:    []Function{{"box.say", 14, 4}, {"shelf.Say", 10, 3}, {"shelf.add", 1, 1}, {"shelf.String", 8, 2}},
		Names:        8, // Opener say · Book Say · Shelf add · width String
		Exported:     4, // Opener · Book Say · Shelf
		Documented:   3, // Shelf is not
		Interfaces:   1,
		Duplicates:   1,
		Unexported:   3, OneWord: 3,
		Defined: map[string]int{"Book": 1, "Opener": 1, "Say": 1, "Shelf": 1, "String": 1, "add": 1, "say": 1, "width": 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if dir, lines := got.BiggestPackage(); dir != "shelf" || lines != 53 {
		t.Errorf("the biggest package is %s with %d lines", dir, lines)
	}
	if n := got.LongerThan(8); n != 2 {
		t.Errorf("%d functions have more than 8 lines, want 2", n)
	}
}

func TestQuantilesOfFunctions(t *testing.T) {
	t.Parallel()
	var n Numbers
	of := func(f Function) int { return f.Lines }
	if got := n.Quantile(0.5, of); got != 0 {
		t.Errorf("of no function: %d", got)
	}
	for lines := range 10 {
		n.Functions = append(n.Functions, Function{Lines: 10 - lines})
	}
	for share, want := range map[float64]int{0: 1, 0.5: 6, 0.9: 10, 1: 10} {
		if got := n.Quantile(share, of); got != want {
			t.Errorf("quantile %g is %d, want %d", share, got, want)
		}
	}
}

func TestDuplicatesArePairsOfPlaces(t *testing.T) {
	t.Parallel()
	six := codeLines{"a", "b", "c", "d", "e", "f"}
	for name, test := range map[string]struct {
		files []codeLines
		want  int
	}{
		"five lines are too few":               {[]codeLines{six[:5], six[:5]}, 0},
		"six are a pair":                       {[]codeLines{six, six}, 1},
		"seven are one pair, not two":          {[]codeLines{append(six[:6:6], "g"), append(six[:6:6], "g")}, 1},
		"three places are three pairs":         {[]codeLines{six, six, six}, 3},
		"twice in one file":                    {[]codeLines{append(append(six[:6:6], "g"), six...)}, 1},
		"a place does not overlap its other":   {[]codeLines{{"a", "a", "a", "a", "a", "a", "a", "a"}}, 0},
		"other lines between them are no pair": {[]codeLines{six, {"a", "b", "c", "x", "d", "e", "f"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := countDuplicates(test.files); got != test.want {
				t.Errorf("%d pairs, want %d", got, test.want)
			}
		})
	}
}

// TestTheCircleOfALittleTree: book.go and shelf.go need each other, and width.go is in no circle.
func TestTheCircleOfALittleTree(t *testing.T) {
	t.Parallel()
	packages, err := Packages(little, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 2 || packages[0].Dir != "box" || packages[1].Dir != "shelf" {
		t.Fatalf("the packages are %v", packages)
	}
	if c := packages[0].LargestCircle(); len(c.Files) != 0 || c.Lines != 0 {
		t.Errorf("a package of one file has the circle %v", c)
	}
	shelf := packages[1]
	if diff := cmp.Diff(Circle{Files: []string{"book.go", "shelf.go"}, Lines: 40}, shelf.LargestCircle()); diff != "" {
		t.Error(diff)
	}
	if shelf.Files() != 3 || shelf.Lines() != 53 {
		t.Errorf("%d files, %d lines", shelf.Files(), shelf.Lines())
	}
	if diff := cmp.Diff(map[string]int{"Book": 1, "Shelf": 1, "width": 1}, shelf.Methods()); diff != "" {
		t.Error(diff)
	}
}
