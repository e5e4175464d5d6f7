package emulator_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
)

var update = flag.Bool("update", false, "write what docs/internals/population.md says of the population anew")

// TestThePopulationIsWhatItsPageSays reads the whole demo as a client would.
func TestThePopulationIsWhatItsPageSays(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("asks eight thousand times: make test-all runs it")
	}
	s := surveyOf(startWorkspace(t, emulator.Config{Contacts: 10_400, Conversations: 3000, Calls: 800, Logs: 4000}))
	slices.Sort(s.sizes)
	t.Run("shares", func(t *testing.T) { checkShares(t, s) })
	t.Run("optional fields", func(t *testing.T) { checkOptional(t, s) })
	t.Run("enumerations", func(t *testing.T) { checkValues(t, s) })
	t.Run("T48 and T49: names of custom attributes", func(t *testing.T) { checkNames(t, s) })
	t.Run("deleted admins", func(t *testing.T) { checkFormer(t, s) })
	t.Run("the page", func(t *testing.T) { checkPage(t, s) })
}

// populationShare is one figure of the population.
type populationShare struct {
	what, asked string
	low, high   float64
	measured    float64
	unit, drawn string
}

func (s *fieldSurvey) populationShares() []populationShare {
	per := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	count := func(has func(contact map[string]any) bool) (n int) {
		for _, contact := range s.contacts {
			if has(contact) {
				n++
			}
		}
		return n
	}
	leads := count(func(d map[string]any) bool { return d["role"] == "lead" })
	tagged := count(func(d map[string]any) bool { return toInt(d["tags"].(m)["total_count"]) > 10 })
	named := count(func(d map[string]any) bool { name, _ := d["name"].(string); return isForeign(name) })
	n := len(s.sizes)
	huge := 0
	for _, size := range s.sizes {
		if size > 1000 {
			huge++
		}
	}
	return []populationShare{
		{"leads among active contacts", "35 %", 34, 36, per(leads, len(s.contacts)), "%", "`live`"},
		{"contacts with more than ten tags", "2 %", 1.8, 2.2, per(tagged, len(s.contacts)), "%", "`lists`"},
		{"parts of a conversation, median", "6", 6, 6, float64(s.sizes[n/2]), "", "`size`"},
		{"parts of a conversation, 99th percentile", "120", 105, 135, float64(s.sizes[n*99/100]), "", "`size`"},
		{"conversations with more than 1,000 parts", "some", 2, 10, float64(huge), "", "`size`"},
		{"conversations without a contact's reply", "8 %", 7, 9, per(s.unanswered, n), "%", "`birth`"},
		{"bodies beyond 20 kB", "3 %", 2.7, 3.3, per(s.long, s.bodies), "%", "`newConvMaker`"},
		{"bodies that are not ASCII", "15 %", 14, 16, per(s.foreign, s.bodies), "%", "`newConvMaker`"},
		{"redacted parts", "0.5 %", 0.4, 0.6, per(s.redacted, s.parts), "%", "`redacts`"},
		{"deleted admins", "4", 4, 4, float64(len(s.formerAdmins())), "", "`former`"},
		{"names of contacts that are not ASCII", "–", 50, 90, per(named, len(s.contacts)), "%", "`naming`"},
	}
}

func isForeign(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) >= 0 }

// formerAdmins returns the admins that wrote or did something and are not in the list of admins.
func (s *fieldSurvey) formerAdmins() (ids []string) {
	there := s.fieldValues("admin.id")
	for id := range s.authors {
		if !slices.Contains(there, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func checkShares(t *testing.T, s *fieldSurvey) {
	for _, f := range s.populationShares() {
		if f.measured < f.low || f.measured > f.high {
			t.Errorf("%s: %.2f %s, asked for %s (%g to %g)", f.what, f.measured, f.unit, f.asked, f.low, f.high)
		}
	}
}

// checkFormer: the activity log has the deletion of each former admin, and no other deletion.
func checkFormer(t *testing.T, s *fieldSurvey) {
	slices.Sort(s.removed)
	if got := s.formerAdmins(); !slices.Equal(got, s.removed) {
		t.Errorf("%v wrote and are no admins, the activity log tells of the deletion of %v", got, s.removed)
	}
}

// checkOptional: optional fields are missing or null sometimes, and not always.
func checkOptional(t *testing.T, s *fieldSurvey) {
	always := map[string]bool{}
	for _, object := range alwaysThere {
		for _, name := range strings.Fields(object.names) {
			if field := object.at + "." + name; s.fields[field] == nil {
				t.Errorf("%s was not seen", field)
			} else if n := s.missingCount(field); n > 0 {
				t.Errorf("%s is missing %d times", field, n)
			} else {
				always[field] = true
			}
		}
	}
	for field, f := range s.fields {
		switch {
		case strings.HasPrefix(field, "log.metadata."), strings.HasPrefix(field, "article.translated_content."):
		case f.there == f.null:
			t.Errorf("%s is never there", field)
		case !always[field] && s.missingCount(field) == 0:
			t.Errorf("%s is never missing: let it be so in the population, or in alwaysThere", field)
		}
	}
}

func checkValues(t *testing.T, s *fieldSurvey) {
	for _, e := range enumerations {
		have := s.fieldValues(e.field)
		for _, want := range strings.Fields(e.values) {
			if !slices.Contains(have, want) {
				t.Errorf("%s is never %s, only %v", e.field, want, have)
			}
		}
	}
}

func checkNames(t *testing.T, s *fieldSurvey) {
	for _, name := range nastyNames {
		if s.names[name] == nil {
			t.Errorf("no custom attribute is called %.30q", name)
		}
	}
	for _, kind := range []string{"contact", "company"} {
		for _, name := range []string{"score", "paid"} {
			for _, value := range []string{"bool", "json.Number", "string"} {
				if !s.names[name][kind+" "+value] {
					t.Errorf("%s of a %s is never a %s", name, kind, value)
				}
			}
		}
	}
}

const (
	populationPage = "../../docs/internals/population.md"
	measuredFrom   = "<!-- measured by TestThePopulationIsWhatItsPageSays; make docs writes it anew -->\n"
	measuredTo     = "<!-- end -->\n"
)

// checkPage compares the page with the measured numbers.
func checkPage(t *testing.T, s *fieldSurvey) {
	page, err := os.ReadFile(populationPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := bytes.Cut(page, []byte(measuredFrom))
	_, after, closed := bytes.Cut(rest, []byte(measuredTo))
	if !found || !closed {
		t.Fatalf("%s has no place for what is measured", populationPage)
	}
	want := string(before) + measuredFrom + s.measuredTable() + measuredTo + string(after)
	if *update {
		if err := os.WriteFile(populationPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what was measured; run make docs:\n%s", populationPage, s.measuredTable())
	}
}

// measuredTable returns the measured part of the page.
func (s *fieldSurvey) measuredTable() string {
	var b strings.Builder
	b.WriteString("| what | asked | measured | drawn in |\n|---|---:|---:|---|\n")
	for _, f := range s.populationShares() {
		form := "%.0f"
		if f.unit != "" && f.measured < 20 {
			form = "%.1f"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.what, f.asked, strings.TrimSpace(fmt.Sprintf(form, f.measured)+" "+f.unit), f.drawn)
	}
	b.WriteString("\nParts of a conversation, `#` for one in a hundred of the conversations, `+` for less:\n\n```\n")
	from := 0
	for _, to := range []int{0, 1, 2, 4, 7, 12, 20, 35, 60, 120, 250, 500, 1000, 1 << 30} {
		n := 0
		for _, size := range s.sizes {
			if size >= from && size <= to {
				n++
			}
		}
		label := fmt.Sprintf("%d to %d", from, to)
		switch {
		case from == to:
			label = fmt.Sprint(to)
		case to == 1<<30:
			label = fmt.Sprintf("%d and more", from)
		}
		bar := strings.Repeat("#", (100*n+len(s.sizes)/2)/len(s.sizes))
		if bar == "" && n > 0 {
			bar = "+"
		}
		fmt.Fprintf(&b, "%13s %5d %s\n", label, n, bar)
		from = to + 1
	}
	b.WriteString("```\n")
	return b.String()
}
