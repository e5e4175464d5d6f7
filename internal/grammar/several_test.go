package grammar

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readAll reads a garden of several files, named a, b, …
func readAll(texts ...string) (*Value, []string) {
	var r Report
	var files []File
	for i, text := range texts {
		name := string(rune('a' + i))
		files = append(files, File{Name: name, Text: []byte(text), Resolve: func(text string) (string, error) { return strings.ReplaceAll(text, "$FILE", name), nil }})
	}
	v := r.ReadAll(files, specOfAllKinds())
	var m Mistakes
	errors.As(r.Err(), &m)
	var all []string
	for _, x := range m {
		one := Mistakes{x}
		first, _, _ := strings.Cut(one.Format(), "\n")
		all = append(all, first)
	}
	return v, all
}

func TestSeveralFilesAreReadAsOne(t *testing.T) {
	t.Parallel()
	v, wrong := readAll("name: home\nbeds:\n", "beds: {north: {plants: $FILE}}\nwater: 2d\nname: home\n", "beds:\n  south: {plants: [leek, $FILE]}\n")
	if wrong != nil {
		t.Fatal(wrong)
	}
	south := v.Key("beds").Key("south")
	if got := append(v.Key("beds").Key("north").Key("plants").Texts(), south.Key("plants").Texts()...); !cmp.Equal(got, []string{"b", "leek", "c"}) {
		t.Errorf("got %v", got)
	}
	if v.Key("name").Text() != "home" || v.Key("water").Text() != "2d" || !v.Key("fenced").Bool() || v.Key("water").FileName() != "b" || south.Key("sown").FileName() != "c" {
		t.Errorf("the rest is %q %q", v.Key("name").Text(), v.Key("water").Text())
	}
}

func TestMistakesInSeveralFilesAreReportedInEach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ files, want []string }{
		{[]string{"water: 1d\n", "fenced: true\n"}, []string{`a:1:1: error: key "name" is missing`}},
		{[]string{"nam: x\n", "water: 1d\n"}, []string{`a:1:1: error: unknown key "nam"`}},
		{[]string{"name: x\nbeds:\n  n: {plants: a}\n", "beds: {n: {plants: b}, m: {depth: 10}}\nname: y\n"}, []string{
			"b:1:8: error: beds.n is given twice, first in a:3:3", `b:1:24: error: key "plants" is missing in beds.m`,
			"b:1:35: error: beds.m.depth: expected a number from 1 to 9, found 10", "b:2:1: error: name is given twice, first in a:1:1"}},
		{[]string{"name: x\nbeds: [n]\n", "beds: {n: {plants: b}}\n"}, []string{"a:2:7: error: beds: expected keys with values, found a list"}},
		{[]string{"water: 1d\n", ""}, []string{"b: error: the file is empty"}},
		{[]string{"- x\n", "~\n", "name: [\n"}, []string{"a:1:1: error: expected keys with values, found a list", "c:2:1: error: not YAML: did not find expected node content while parsing a flow node"}},
		{[]string{"name: x\n", "~\n"}, nil},
	} {
		if _, wrong := readAll(c.files...); !cmp.Equal(wrong, c.want) {
			t.Errorf("%q:\n%s", c.files, cmp.Diff(c.want, wrong))
		}
	}
}

func TestAShortFormStandsForItsMap(t *testing.T) {
	t.Parallel()
	spec := &Spec{Kind: Map, Keys: []Spec{{Name: "tools", Kind: Map, Short: "files", Doc: "Tools.", Keys: []Spec{
		{Name: "files", Kind: OneOrAll, Item: &Spec{Kind: Text}, Doc: "Files."},
		{Name: "sharp", Kind: OneOrAll, Item: &Spec{Kind: Text}, Doc: "Those that cut."},
	}}}}
	for text, want := range map[string][]string{
		"tools: a\n": {"a"}, "tools: [a, b]\n": {"a", "b"}, "tools: {files: [a], sharp: c}\n": {"a"}, "tools: {sharp: c}\n": nil,
	} {
		var r Report
		v := r.Read("x.yaml", []byte(text), spec, nil)
		if got := v.Key("tools").Key("files").Texts(); r.Err() != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: got %q, %v", text, got, r.Err())
		}
	}
}
