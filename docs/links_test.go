package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// pages returns all pages of the project, by path from this directory.
func pages(t *testing.T) (all []string) {
	t.Helper()
	all, err := filepath.Glob("../*.md")
	must(t, err)
	must(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			all = append(all, path)
		}
		return err
	}))
	if len(all) < 40 {
		t.Fatalf("only %d pages were found", len(all))
	}
	return all
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	fence    = regexp.MustCompile("(?ms)^```.*?^```$")
	code     = regexp.MustCompile("`[^`\n]*`")
	external = regexp.MustCompile(`^(?:https?|mailto):`)
)

// linksOf returns the targets of a page's links to files and headings of the project, without those in code.
func linksOf(t *testing.T, page string) (targets []string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(prose(t, page), ""), -1) {
		if target := m[1] + m[2]; !external.MatchString(target) {
			targets = append(targets, target)
		}
	}
	return targets
}

// prose returns a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	return fence.ReplaceAllString(string(text), "")
}

// anchorsOf returns the anchors of a page's headings.
func anchorsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		all[anchor(m[1])] = true
	}
	return all
}

// anchor returns the anchor of a heading as forges make it: lower case, dashes for blanks, no other signs.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// TestEveryLinkOfThePagesLeadsSomewhere follows the links of every page to files, directories and headings.
func TestEveryLinkOfThePagesLeadsSomewhere(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, page := range pages(t) {
		for _, target := range linksOf(t, page) {
			followed++
			path, name, _ := strings.Cut(target, "#")
			file := page
			if path != "" {
				file = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links %s: %v", page, target, err)
				continue
			}
			if name != "" && filepath.Ext(file) == ".md" && !anchorsOf(t, file)[name] {
				t.Errorf("%s links %s: %s has no such heading", page, target, file)
			}
		}
	}
	if followed < 80 {
		t.Errorf("only %d links were followed", followed)
	}
}

// TestTheIndexLinksEveryPage holds index.md to all pages of docs/. A directory with an index page needs only a link to that page, such as
// decisions/.
func TestTheIndexLinksEveryPage(t *testing.T) {
	t.Parallel()
	linked := map[string]bool{"index.md": true}
	for _, target := range linksOf(t, "index.md") {
		linked[filepath.Clean(target)] = true
	}
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "..") {
			continue
		}
		if !linked[page] && !(filepath.Dir(page) == "decisions" && (linked["decisions"] || linked["decisions/README.md"] || linked["decisions/index.md"])) {
			t.Errorf("index.md does not link %s", page)
		}
	}
	for _, page := range []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"} {
		if !linked[page] {
			t.Errorf("index.md does not link %s", page)
		}
	}
}

// TestTheReadmeIsShort: below 120 lines, with a picture in the first screen and a link to the index.
func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	must(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) >= 120 {
		t.Errorf("README.md has %d lines, fewer than 120 are allowed", len(lines))
	}
	first := strings.Join(lines[:min(20, len(lines))], "\n")
	for _, want := range []string{`srcset="docs/img/overview-dark.png"`, `src="docs/img/overview.png"`, "](docs/index.md)"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first 20 lines of README.md lack %s", want)
		}
	}
}

// TestTheDictionaryPageNamesEveryTableOfSync holds the page's last section to a published file.
func TestTheDictionaryPageNamesEveryTableOfSync(t *testing.T) {
	t.Parallel()
	db := openDuckDB(t, newHouse(t).publishOnce()+"?access_mode=read_only")
	text, err := os.ReadFile("dictionary.md")
	must(t, err)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`_sync\\.(\\w+)`").FindAllStringSubmatch(string(text), -1) {
		named[m[1]] = true
	}
	there := queryRows(t, db, "SELECT table_name FROM information_schema.tables WHERE table_schema = '_sync'")
	for _, name := range there {
		if !named[name] {
			t.Errorf("dictionary.md does not name _sync.%s", name)
		}
		delete(named, name)
	}
	if len(there) == 0 || len(named) > 0 {
		t.Errorf("%d tables of _sync are published; dictionary.md names others: %v", len(there), named)
	}
}
