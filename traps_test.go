package aqueduck

import (
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

// declared are the tests and fuzz tests of the repository, as package.Name; a package is named by the last part of its
// directory, the tests of the whole repository by its own name. text is all of its Go code, in which the names of cases stand.
func declared(t *testing.T) (tests map[string]bool, text string) {
	t.Helper()
	tests = map[string]bool{}
	var all strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all.Write(source)
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, one := range file.Decls {
			f, ok := one.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.Name != "TestMain" && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
				name := filepath.Base(filepath.Dir(path))
				if name == "." {
					name = "aqueduck"
				}
				tests[name+"."+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests, all.String()
}

// named is a test as docs/traps.md and docs/internals/mutants.md name it, with or without one of its cases.
var named = regexp.MustCompile("`([a-z]+\\.(?:Test|Fuzz)\\w+)(?:/([^`]+))?`")

// checkNames fails for each test of a line that is not there.
func checkNames(t *testing.T, line string, tests map[string]bool, text string) (names []string) {
	t.Helper()
	for _, m := range named.FindAllStringSubmatch(line, -1) {
		if !tests[m[1]] {
			t.Errorf("there is no %s: %.40s…", m[1], line)
		}
		for _, part := range strings.Split(m[2], "/") { // a case may have cases
			if part != "" && !strings.Contains(text, `"`+part+`"`) {
				t.Errorf("%s has no case %q", m[1], part)
			}
		}
		names = append(names, m[1])
	}
	return names
}

// TestEveryTrapHasItsLine holds docs/traps.md to the code.
func TestEveryTrapHasItsLine(t *testing.T) {
	t.Parallel()
	checkPage(t, "docs/traps.md", "T", 195, "Cannot occur: ")
}

// TestEveryRequirementHasItsLine holds docs/security.md to the code.
func TestEveryRequirementHasItsLine(t *testing.T) {
	t.Parallel()
	checkPage(t, "docs/security.md", "S", 59, "Not yet: ")
}

// checkPage holds a page of lines with a letter and a number to the code: each number once, with tests that are there or one of the
// excuses for having none, and every test whose name says the number on the line of that number.
func checkPage(t *testing.T, file, letter string, most int, excuses ...string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tests, text := declared(t)
	held := map[int][]string{}
	entry := regexp.MustCompile(`^\| ` + letter + `(\d+) \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$`)
	for line := range strings.Lines(string(page)) {
		m := entry.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			if strings.HasPrefix(line, "| "+letter) {
				t.Errorf("a line of another form: %.60s…", line)
			}
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > most || held[n] != nil {
			t.Errorf("%s%s: not there, or a second line for it", letter, m[1])
		}
		held[n] = append([]string{}, checkNames(t, m[4], tests, text)...) // not nil: the line is there
		ours := slices.ContainsFunc(held[n], func(name string) bool { return !strings.HasPrefix(name, "emulator.") })
		excused := slices.ContainsFunc(excuses, func(excuse string) bool { return strings.HasPrefix(m[3], excuse) })
		if !ours && !excused {
			t.Errorf("%s%d: no test holds it, and nothing says why", letter, n)
		}
	}
	for n := 1; n <= most; n++ {
		if held[n] == nil {
			t.Errorf("%s%d has no line", letter, n)
		}
	}
	prefix, number := regexp.MustCompile(`^Test((?:`+letter+`\d+)+)`), regexp.MustCompile(`\d+`)
	for name := range tests {
		_, short, _ := strings.Cut(name, ".")
		m := prefix.FindStringSubmatch(short)
		if m == nil {
			continue
		}
		for _, digits := range number.FindAllString(m[1], -1) {
			if n, err := strconv.Atoi(digits); err != nil || !slices.Contains(held[n], name) {
				t.Errorf("%s is not on the line of %s%s", name, letter, digits)
			}
		}
	}
}
