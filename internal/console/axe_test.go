//go:build browser

package console

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeFile is the file of axe-core, which `make browser` installs. It is not part of this repository: its licence is the MPL.
var axeFile = os.Getenv("AQUEDUCK_AXE")

// finding is what axe-core says of a page.
type finding struct {
	ID, Impact, Help string
	Nodes            []string // the elements, as HTML
}

// checkAccess returns what axe-core finds serious or critical in the page that is open.
func (p *page) checkAccess(script string) []finding {
	p.t.Helper()
	do(p, chromedp.Evaluate[bool](script+"; true"))
	all := do(p, chromedp.Evaluate[[]finding](`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help,
		Nodes: v.nodes.map(n => n.html.slice(0, 160) + " " + n.any.map(a => a.message).join(" "))})))`, chromedp.EvalAwaitPromise))
	return slices.DeleteFunc(all, func(f finding) bool { return f.Impact != "serious" && f.Impact != "critical" })
}

// access checks each page with axe-core, light and dark, at the width of a desk and of a phone. Before that it checks a page with two mistakes: a check that finds
// nothing there would find nothing anywhere.
func (s *stage) access(t *testing.T) {
	if axeFile == "" {
		t.Skip("without axe-core, which make browser installs where npm can")
	}
	text, err := os.ReadFile(axeFile)
	if err != nil {
		t.Fatal(err)
	}
	script := string(text)
	p := browse(t, s.server.URL)
	p.size(1280, 800)
	report := func(what string) {
		for _, f := range p.checkAccess(script) {
			t.Errorf("%s: %s, %s: %s\n\t%s", what, f.Impact, f.ID, f.Help, strings.Join(f.Nodes[:min(len(f.Nodes), 5)], "\n\t"))
		}
	}
	p.open("/")
	report("login")
	p.login()
	do(p, chromedp.Evaluate[bool](`document.querySelector(".search input").removeAttribute("aria-label"), document.querySelector(".search input").removeAttribute("placeholder"),
		document.querySelector(".brand").style.color = "#e8e8e8", true`))
	var broken []string
	for _, f := range p.checkAccess(script) {
		broken = append(broken, f.ID)
	}
	if slices.Sort(broken); !slices.Equal(broken, []string{"color-contrast", "label"}) {
		t.Errorf("of a page with a field without a name and pale text, axe-core says %q", broken)
	}
	paths := s.paths(t)
	for _, theme := range []string{"light", "dark"} {
		p.scheme(theme)
		for _, width := range []int64{1280, 390} {
			p.size(width, 844)
			for _, name := range slices.SortedFunc(maps.Keys(paths), cmp.Compare[string]) {
				do(p, chromedp.Navigate(s.server.URL+paths[name]))
				do(p, chromedp.Evaluate[bool](`document.querySelectorAll("details").forEach(d => { d.open = true; }), true`))
				report(name + " " + theme)
			}
		}
	}
}
