package grammar

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// specOfAllKinds is a spec with one key of every kind.
func specOfAllKinds() *Spec {
	return &Spec{Kind: Map, Keys: []Spec{
		{Name: "name", Kind: Text, Required: true, Doc: "Its name."},
		{Name: "beds", Kind: Free, Doc: "Where things grow.", Item: &Spec{Name: "BED", Kind: Map, Keys: []Spec{
			{Name: "plants", Kind: OneOrAll, Item: &Spec{Kind: Text}, Required: true, Doc: "What grows."},
			{Name: "depth", Kind: Int, Min: 1, Max: 9, Default: "3", Doc: "Spades."},
			{Name: "sown", Kind: Date, Doc: "When."},
		}}},
		{Name: "water", Kind: Duration, Default: "1d", Doc: "How often."},
		{Name: "fenced", Kind: Bool, Default: "true", Doc: "Against rabbits | deer."},
		{Name: "soil", Kind: Enum, Values: []Choice{{Name: "clay"}, {Name: "sand", Doc: "drains."}, {Name: "peat", Later: true}}, Doc: "What it is of."},
		{Name: "tools", Kind: List, Item: &Spec{Kind: Text, Check: func(text string) error {
			if text == "atomic" {
				return errors.New("not in this garden")
			}
			return nil
		}, Hint: "a spade will do"}, Doc: "What is in the shed."},
		{Name: "lock", Kind: Text, Secret: func(text string) bool { return text != "none" }, Check: func(text string) error {
			return fmt.Errorf("%s opens nothing", text)
		}, Doc: "Opens the shed."},
		{Name: "drone", Kind: Map, Later: true, Doc: "Waters by itself."},
	}}
}

func readText(text string) (*Value, Mistakes) {
	var r Report
	v := r.Read("garden.yaml", []byte(text), specOfAllKinds(), nil)
	var m Mistakes
	errors.As(r.Err(), &m)
	return v, m
}

func TestValuesOfACheckedFile(t *testing.T) {
	t.Parallel()
	v, m := readText("name: 2.10\nbeds: {a: {plants: leek, depth: 4, sown: 2026-03-01}, b: {plants: [pea, bean]}}\nwater: 1d12h\nfenced: false\n")
	if m != nil {
		t.Fatal(m)
	}
	if got := v.Key("name").Text(); got != "2.10" {
		t.Errorf("a number is not text as it is written: %q", got)
	}
	a, b := v.Key("beds").Key("a"), v.Key("beds").Key("b")
	if diff := cmp.Diff([]string{"leek"}, a.Key("plants").Texts()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"pea", "bean"}, b.Key("plants").Texts()); diff != "" {
		t.Error(diff)
	}
	if a.Key("depth").Int() != 4 || b.Key("depth").Int() != 3 || a.Key("sown").Date() != time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) {
		t.Error("depth or sown")
	}
	if v.Key("water").Duration() != 36*time.Hour || v.Key("fenced").Bool() || v.Key("soil").IsSet() || v.Key("nothing").Key("below").Text() != "" {
		t.Error("water, fenced or what is not there")
	}
	if b.Key("plants").Items()[1].Path() != "beds.b.plants[1]" {
		t.Errorf("got %s", b.Key("plants").Items()[1].Path())
	}
}

func TestFillHandsEachValueToItsKeyInTheOrderOfTheSpec(t *testing.T) {
	t.Parallel()
	var filled []string
	take := func(v *Value) { filled = append(filled, v.Path()+"="+v.Text()) }
	spec := &Spec{Kind: Map, Keys: []Spec{
		{Name: "color", Kind: Text, Into: take},
		{Name: "size", Kind: Map, Keys: []Spec{{Name: "width", Kind: Int, Default: "2", Into: take}, {Name: "depth", Kind: Int, Default: "3", Into: take}}},
		{Name: "form", Kind: Enum, Values: []Choice{{Name: "round"}}, Default: "round", Into: take},
		{Name: "nobody", Kind: Text},
	}}
	var report Report
	report.Read("file.yaml", []byte("form: flat\nsize: {depth: 5}\ncolor: red\nnobody: asks\n"), spec, nil).Fill(spec)
	if got, want := strings.Join(filled, " "), "color=red size.width=2 size.depth=5 form=round"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAllMistakesComeAtOnceInTheOrderOfTheirPlaces(t *testing.T) {
	t.Parallel()
	_, m := readText(`nam: x
beds:
  a: {plants: leek, depth: 12, sown: 1.3.}
  a: {plants: pea}
  b: {depht: 1}
water: often
fenced: yes
soil: peat
tools: [atomic]
drone: {}
soil: sand
`)
	want := `garden.yaml:1:1: error: unknown key "nam"
    1 | nam: x
      | ^^^ did you mean "name"?

garden.yaml:3:28: error: beds.a.depth: expected a number from 1 to 9, found 12
    3 |   a: {plants: leek, depth: 12, sown: 1.3.}
      |                            ^^

garden.yaml:3:38: error: beds.a.sown: expected a date, found "1.3."
    3 |   a: {plants: leek, depth: 12, sown: 1.3.}
      |                                      ^^^^ year, month, day, e.g. 2026-01-31

garden.yaml:4:3: error: key "a" is given twice in beds
    4 |   a: {plants: pea}
      |   ^ first in line 3

garden.yaml:5:3: error: key "plants" is missing in beds.b
    5 |   b: {depht: 1}
      |   ^ What grows.

garden.yaml:5:7: error: unknown key "depht" in beds.b
    5 |   b: {depht: 1}
      |       ^^^^^ did you mean "depth"?

garden.yaml:6:8: error: water: expected a duration, found "often"
    6 | water: often
      |        ^^^^^ a number and s, m, h or d, e.g. 60m or 14d

garden.yaml:7:9: error: fenced: expected true or false, found "yes"
    7 | fenced: yes
      |         ^^^

garden.yaml:8:7: error: soil: "peat" is not built yet
    8 | soil: peat
      |       ^^^^

garden.yaml:9:9: error: tools[0]: not in this garden
    9 | tools: [atomic]
      |         ^^^^^^ a spade will do

garden.yaml:10:1: error: "drone" is not built yet
   10 | drone: {}
      | ^^^^^ remove this key

garden.yaml:11:1: error: key "soil" is given twice
   11 | soil: sand
      | ^^^^ first in line 8

12 errors in garden.yaml
`
	if diff := cmp.Diff(want, m.Format()); diff != "" {
		t.Error(diff)
	}
}

// Holds: S2.
func TestASecretIsNeverShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text string }{
		{"value", "name: x\nlock: HUSH\n"},
		{"mistake before it in the line", "{nam: x, lock: HUSH}\n"},
		{"mistake after it in the line", "{lock: HUSH, nam: x}\n"},
		{"misspelled key", "name: x\nlokc: HUSH\n"},
		{"key that sounds like one", "name: x\nmy_password: HUSH\n"},
		{"alias", "name: x\nnam: &a HUSH\nlock: *a\n"},
		{"no YAML", "name: x\ntoken: [HUSH\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, m := readText(c.text)
			text, err := m.JSON()
			if len(m) == 0 || err != nil || strings.Contains(m.Format()+string(text), "HUSH") {
				t.Errorf("%v\n%s", err, m.Format())
			}
		})
	}
}

func TestFormatShowsTwentyAndCountsTheRest(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("name: x\n")
	for i := range 30 {
		fmt.Fprintf(&text, "unknown%d: 1\n", i)
	}
	_, m := readText(text.String())
	got := m.Format()
	if len(m) != 30 || strings.Count(got, "error: unknown key") != 20 || !strings.Contains(got, "… and 10 more\n") || !strings.HasSuffix(got, "30 errors in garden.yaml\n") {
		t.Error(got)
	}
}

func TestJSONHasEveryPartOfAMistake(t *testing.T) {
	t.Parallel()
	_, m := readText("name: x\nwatr: 1d\n")
	text, err := m.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{
		"file": "garden.yaml", "line": 2.0, "column": 1.0, "message": `unknown key "watr"`, "excerpt": "watr: 1d", "hint": `did you mean "water"?`,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text, err := (Mistakes)(nil).JSON(); err != nil || string(text) != "[]" {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestColumnsAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	_, m := readText("name: x\nbeds: {\"gärtchen 🌱\": {plants: x, größe: 1}}\n")
	if len(m) != 1 || m[0].Column != 34 {
		t.Fatalf("got %+v", m)
	}
	lines := strings.Split(m.Format(), "\n")
	from := utf8.RuneCountInString(lines[2][:strings.IndexByte(lines[2], '^')])
	if got := string([]rune(lines[1])[from : from+5]); got != "größe" {
		t.Errorf("the caret is under %q", got)
	}
}

func TestQuotesAreUnderlinedWithWhatIsInThem(t *testing.T) {
	t.Parallel()
	for _, quoted := range []string{`"atomic"`, `'atomic'`, `atomic`} {
		_, m := readText("{name: x, tools: [" + quoted + "]}")
		lines := strings.Split(m.Format(), "\n")
		if got := strings.Count(lines[2], "^"); got != len(quoted) {
			t.Errorf("%d characters are underlined of\n%s", got, m.Format())
		}
	}
}

func TestALongLineIsCutAroundTheMistake(t *testing.T) {
	t.Parallel()
	_, m := readText("{name: x, tools: [" + strings.Repeat("spade, ", 100) + "atomic, " + strings.Repeat("spade, ", 100) + "]}")
	lines := strings.Split(m.Format(), "\n")
	if utf8.RuneCountInString(lines[1]) > 160 {
		t.Error(lines[1])
	}
	from := utf8.RuneCountInString(lines[2][:strings.IndexByte(lines[2], '^')])
	if got := string([]rune(lines[1])[from : from+6]); got != "atomic" {
		t.Errorf("the caret is under %q", got)
	}
}

func TestAFileCannotHurt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"large", "name: " + strings.Repeat("x", 1<<20), "more than 1 MiB"},
		{"many values", "name: x\ntools: [" + strings.Repeat("a,", 30_000) + "]", "more than 20000 values"},
		{"aliases of aliases", "name: x\ntools: &a [" + strings.Repeat("spade,", 1000) + "]\nbeds: {" + manyBeds(40) + "}", "more than 20000 values"},
		{"an alias of itself", "&a {name: x, beds: *a}", "expected keys with values"},
		{"not UTF-8", "name: \xff", "not UTF-8"},
		{"control characters", "name: \x01", "the character U+0001"},
		{"deep", "name: " + strings.Repeat("[", 20_000), "garden.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, m := readText(c.text); !strings.Contains(m.Format(), c.want) {
				t.Errorf("got %s, want %s", m.Format(), c.want)
			}
		})
	}
}

func manyBeds(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "b%d: {plants: *a}, ", i)
	}
	return b.String()
}

func TestAnUnknownNameGetsTheThreeNearest(t *testing.T) {
	t.Parallel()
	queries := []string{"companies_by_size", "contacts_by_week", "csat_by_teammate", "first_response_by_team", "tickets_by_state", "tickets_open_longest", "calls_by_day", "articles_by_reactions", "companies_growing"}
	for word, want := range map[string]string{
		"tickets_open":         "the nearest are tickets_open_longest, tickets_by_state, calls_by_day",
		"company size":         "the nearest are companies_by_size, companies_growing, ",
		"longest open tickets": "the nearest are tickets_open_longest, tickets_by_state, ",
		"csat_by_teamate":      `did you mean "csat_by_teammate"?`,
		"foo":                  "known: companies_by_size, ",
	} {
		if got := DidYouMean(word, queries); !strings.HasPrefix(got, want) || word != "foo" && strings.Count(got, ",") > 2 {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ word, want string }{
		{"contcts", `did you mean "contacts"?`},
		{"cotnacts", `did you mean "contacts"?`},
		{"Contacts", `did you mean "contacts"?`},
		{"deleted_contact", `did you mean "deleted_contacts"?`},
		{"x", "known: contacts, deleted_contacts, calls"},
	} {
		if got := DidYouMean(c.word, []string{"contacts", "deleted_contacts", "calls"}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.word, got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "60m": time.Hour, "48h": 48 * time.Hour, "14d": 14 * 24 * time.Hour, "1d12h": 36 * time.Hour, "0s": 0} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "h", "1.5h", "-1h", "1y", "1 h", "99999999999d", "999999d999999d", "1ms", "١h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q: got %s", text, got)
		}
	}
}

func TestMarkdownHasARowForEachKey(t *testing.T) {
	t.Parallel()
	want := `| key | value | default | meaning |
|---|---|---|---|
| ` + "`name` | text | required | Its name. |" + `
| ` + "`beds` | keys |  | Where things grow. |" + `
| ` + "`beds.BED.plants` | text, or a list | required | What grows. |" + `
| ` + "`beds.BED.depth` | number | `3` | Spades. |" + `
| ` + "`beds.BED.sown` | date |  | When. |" + `
| ` + "`water` | duration | `1d` | How often. |" + `
| ` + "`fenced` | true, false | `true` | Against rabbits \\| deer. |" + `
| ` + "`soil` | `clay`, `sand` |  | What it is of. `sand`: drains. *Not built yet: `peat`.* |" + `
| ` + "`tools` | list of text |  | What is in the shed. |" + `
| ` + "`lock` | text |  | Opens the shed. |" + `
| ` + "`drone` | | | Waters by itself. *Not built yet: refused.* |" + `
`
	if diff := cmp.Diff(want, specOfAllKinds().Markdown()); diff != "" {
		t.Error(diff)
	}
}

func FuzzReadNeverPanicsAndPlacesItsMistakes(f *testing.F) {
	for _, seed := range []string{"name: x\n", "a: &x [*x]\n", "name: x\r\nbeds:\r\n\ta: b\r\n", "{name: 'ü', tools: [\"\\u0000\"]}", "? [a]\n: b\n", "---\n...\n---\n", "name: |\n  x\nsoil: >-\n  clay\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, m := readText(text)
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u0085") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029") + 2
		for _, x := range m {
			if x.Line < 0 || x.Line > lines || x.Message == "" {
				t.Errorf("%q: %+v", text, x)
			}
		}
		m.Format()
	})
}

// TestAnUnknownNameOfManyGetsTheThreeNearest: few names are all named, a misspelled one is found, and of many the nearest three are.
func TestAnUnknownNameOfManyGetsTheThreeNearest(t *testing.T) {
	t.Parallel()
	many := []string{"alpha", "beta", "gamma", "delta", "team_1", "team_2", "team_3", "epsilon", "zeta"}
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"us", many[:2], "choose from alpha, beta"},
		{"gama", many, `did you mean "gamma"?`},
		{"my_team", many, "the nearest are team_1, team_2, team_3; all of them: aqueduck check"},
	} {
		if got := ChooseFrom(c.word, c.known, "aqueduck check"); got != c.want {
			t.Errorf("%s: %s, want %s", c.word, got, c.want)
		}
	}
}
