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
// directory. text is all of its Go code, in which the names of cases stand.
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
				tests[filepath.Base(filepath.Dir(path))+"."+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests, all.String()
}

// named is a test as docs/traps.md and docs/mutants.md name it, with or without one of its cases.
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

// TestEveryTrapHasItsLine holds docs/traps.md to the code: each trap once, with tests that are there, and every test whose name
// says a trap's number on the line of that trap.
func TestEveryTrapHasItsLine(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/traps.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, text := declared(t)
	held := map[int][]string{}
	trap := regexp.MustCompile(`^\| T(\d+) \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$`)
	for line := range strings.Lines(string(page)) {
		m := trap.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			if strings.HasPrefix(line, "| T") {
				t.Errorf("a line of another form: %.60s…", line)
			}
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > 158 || held[n] != nil {
			t.Errorf("T%s: a trap that is not there, or a second line for it", m[1])
		}
		held[n] = append([]string{}, checkNames(t, m[4], tests, text)...) // not nil: the line is there
		ours := slices.ContainsFunc(held[n], func(name string) bool { return !strings.HasPrefix(name, "emulator.") })
		if !ours && !strings.HasPrefix(m[3], "Cannot occur: ") {
			t.Errorf("T%d: no test holds it, and nothing says why it cannot occur", n)
		}
	}
	for n := 1; n <= 158; n++ {
		if held[n] == nil {
			t.Errorf("T%d has no line", n)
		}
	}
	prefix, number := regexp.MustCompile(`^Test((?:T\d+)+)`), regexp.MustCompile(`\d+`)
	for name := range tests {
		_, short, _ := strings.Cut(name, ".")
		m := prefix.FindStringSubmatch(short)
		if m == nil {
			continue
		}
		for _, digits := range number.FindAllString(m[1], -1) {
			if n, err := strconv.Atoi(digits); err != nil || !slices.Contains(held[n], name) {
				t.Errorf("%s is not on the line of T%s", name, digits)
			}
		}
	}
}
