package aqueduck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numberedPages are the pages whose lines have numbers. A line needs a test that holds it, or one of the excuses in its cells.
var numberedPages = []struct {
	file, letter, title string
	lines, cells        int
	excuse              *regexp.Regexp
}{
	{"docs/traps.md", "T", "Traps", 198, 3, regexp.MustCompile(`^Cannot occur: `)},
	{"docs/reliability.md", "F", "Faults", 27, 4, regexp.MustCompile("^By hand: `make ")},
	{"docs/reliability.md", "P", "Proofs", 12, 4, regexp.MustCompile("^By hand: `make ")},
	{"docs/security.md", "S", "Requirements", 59, 3, regexp.MustCompile(`^Not yet: `)},
}

// heavyMark ends the name of a test that make test skips, all of it or some of its cases.
const heavyMark = " (heavy)"

const pageOfTests = "docs/internals/tests.md"

// TestEveryNumberHasItsLineAndItsTest holds the numbered pages to the tests: each number has one line and a test or an excuse, and no
// test holds a number that no page has. A test of the emulator shows that a trap is played, and holds nothing. A heavy test holds what it
// names in make test-all only, so make test has another one.
// Holds: F21.
func TestEveryNumberHasItsLineAndItsTest(t *testing.T) {
	t.Parallel()
	tests := testsByNumber(t)
	lines := map[string]bool{}
	for _, page := range numberedPages {
		for number, cells := range readNumberedLines(t, page.file, page.letter, page.cells) {
			lines[number] = true
			holds := func(name string) bool {
				return !strings.HasPrefix(name, "emulator.") && !strings.HasSuffix(name, heavyMark)
			}
			if !slices.ContainsFunc(tests[number], holds) && !slices.ContainsFunc(cells, page.excuse.MatchString) {
				t.Errorf("%s: no test holds %s, and its line does not say why", page.file, number)
			}
		}
		for n := 1; n <= page.lines; n++ {
			if number := page.letter + strconv.Itoa(n); !lines[number] {
				t.Errorf("%s has no line for %s", page.file, number)
			}
		}
	}
	for number, names := range tests {
		if !lines[number] {
			t.Errorf("no page has a line for %s, which %s holds", number, strings.Join(names, ", "))
		}
	}
}

// readNumberedLines gives the cells of each numbered line of a page.
func readNumberedLines(t *testing.T, file, letter string, cells int) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	number, testName := regexp.MustCompile(`^`+letter+`[1-9]\d*$`), regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]`)
	lines := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		if testName.MatchString(line) {
			t.Errorf("%s names a test, which only %s does: %.60s…", file, pageOfTests, line)
		}
		parts := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "|") || !number.MatchString(parts[0]) {
			continue
		}
		if len(parts) != cells || slices.Contains(parts, "") {
			t.Errorf("%s: a line without its %d cells: %.60s…", file, cells, line)
		}
		if lines[parts[0]] != nil {
			t.Errorf("%s has a second line for %s", file, parts[0])
		}
		lines[parts[0]] = parts
	}
	return lines
}

// TestTheNumberedPagesNameTargetsOfTheMakefile holds each `make …` of the numbered pages to the Makefile.
func TestTheNumberedPagesNameTargetsOfTheMakefile(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile("`make ([a-z-]+)")
	for _, page := range numberedPages {
		text, err := os.ReadFile(page.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which is not in the Makefile", page.file, m[1])
			}
		}
	}
}

// TestThePageOfTestsIsUpToDate holds docs/internals/tests.md to the tests: a test that is removed or renamed changes it.
func TestThePageOfTestsIsUpToDate(t *testing.T) {
	tests := testsByNumber(t)
	var page strings.Builder
	page.WriteString(`# Tests of traps, faults and requirements

` + "`make docs`" + ` writes this page from the tests. A test names what it holds in one of three places:

- its name: ` + "`TestT1T2…`" + ` holds the traps T1 and T2, ` + "`TestF6…`" + ` holds the fault F6, ` + "`TestS24…`" + ` holds the requirement S24;
- the name of a case: ` + "`\"T3 other day\"`" + `;
- the last line of its doc comment: ` + "`Holds: T145, F9.`" + `

The part before the point is the last directory of the test's package. Tests of ` + "`emulator`" + ` show that the emulated workspace plays a trap.
Each number needs one more test, or its line says why it has none. ` + "`make test`" + ` skips heavy tests, or some of their cases; ` + "`make test-all`" + ` runs them.
A heavy test does not count as the test of a number. Tests of ` + "`mirror`" + `, and others with a build tag, run in ` + "`make mirror-test`" + ` and ` + "`make worker-test`" + `.
`)
	for _, section := range numberedPages {
		fmt.Fprintf(&page, "\n## %s\n\nWhat the numbers mean: [%s](../%[2]s).\n\n", section.title, filepath.Base(section.file))
		for n := 1; n <= section.lines; n++ {
			number := section.letter + strconv.Itoa(n)
			if names := tests[number]; len(names) > 0 {
				fmt.Fprintf(&page, "- %s: `%s`\n", number, strings.Join(names, "`, `"))
			}
		}
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(pageOfTests), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pageOfTests, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(pageOfTests)
	if err != nil || string(text) != page.String() {
		t.Errorf("%s is not what the tests say (%v): make docs writes it", pageOfTests, err)
	}
}

// testsByNumber gives, by trap, fault and requirement, the tests that hold it, as package.Name.
func testsByNumber(t *testing.T) map[string][]string {
	t.Helper()
	tests := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, one := range file.Decls {
			f, ok := one.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !testPrefix.MatchString(f.Name.Name) {
				continue
			}
			dir, err := filepath.Abs(filepath.Dir(path))
			if err != nil {
				return err
			}
			name := filepath.Base(dir) + "." + f.Name.Name
			if filepath.Dir(path) == "." {
				name = "aqueduck." + f.Name.Name
			}
			if skipsHeavy(f) {
				name += heavyMark
			}
			numbers, err := numbersOf(f)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", path, f.Name.Name, err)
			}
			for number := range numbers {
				tests[number] = append(tests[number], name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range tests {
		slices.Sort(names)
	}
	return tests
}

var (
	testPrefix   = regexp.MustCompile(`^(?:Test|Fuzz)((?:[TFSP]\d+)*)`)
	casePrefix   = regexp.MustCompile(`^((?:[TFSP]\d+ )+)[^%]*$`)
	commentLine  = regexp.MustCompile(`(?m)^Holds: (.*)$`)
	commentList  = regexp.MustCompile(`^[TFSP]\d+(?:, [TFSP]\d+)*\.$`)
	numberInText = regexp.MustCompile(`[TFSP]\d+`)
)

// skipsHeavy reports whether make test skips a test, or some of its cases.
func skipsHeavy(f *ast.FuncDecl) (heavy bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if name, ok := n.(*ast.SelectorExpr); ok && name.Sel.Name == "SkipHeavy" {
			heavy = true
		}
		return !heavy
	})
	return heavy
}

// numbersOf gives what a test holds: by its name, the names of its cases, and its doc comment.
func numbersOf(f *ast.FuncDecl) (map[string]bool, error) {
	texts := []string{testPrefix.FindStringSubmatch(f.Name.Name)[1]}
	for _, m := range commentLine.FindAllStringSubmatch(f.Doc.Text(), -1) {
		if !commentList.MatchString(m[1]) {
			return nil, fmt.Errorf("%q is not of the form \"Holds: T1, F2.\"", m[0])
		}
		texts = append(texts, m[1])
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				if m := casePrefix.FindStringSubmatch(text); m != nil {
					texts = append(texts, m[1])
				}
			}
		}
		return true
	})
	numbers := map[string]bool{}
	for _, text := range texts {
		for _, number := range numberInText.FindAllString(text, -1) {
			numbers[number] = true
		}
	}
	return numbers, nil
}
