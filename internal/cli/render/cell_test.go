package render

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestS27CSVHasNoFormulaOfACustomer writes names that customers may choose: no spreadsheet executes them, and numbers stay numbers.
func TestS27CSVHasNoFormulaOfACustomer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1":                            "'=1+1",
		"=cmd|' /C calc'!A0":              "'=cmd|' /C calc'!A0",
		`=HYPERLINK("https://e.org","x")`: `"'=HYPERLINK(""https://e.org"",""x"")"`,
		"+SUM(A1)":                        "'+SUM(A1)",
		"-2+3+cmd|' /C calc'!A0":          "'-2+3+cmd|' /C calc'!A0",
		"@SUM(1)":                         "'@SUM(1)",
		"\t=1":                            "'\t=1",
		"\r=1":                            "\"'\r=1\"",
		"＝1+1":                            "'＝1+1",
		"+49 (151) 123-4567":              "+49 (151) 123-4567",
		"-12.5":                           "-12.5",
		"Rosa = Diaz":                     "Rosa = Diaz",
		"":                                "",
	} {
		var out bytes.Buffer
		r := NewAnswer("csv", &out, false)
		if err := r.WriteHeader([]string{"=name", "n"}, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteRow([]any{text, int64(-5)}); err != nil {
			t.Fatal(err)
		}
		if err := r.FinishTable(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != "'=name,n\n"+want+",-5\n" {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
	}
}

// TestS51TableSizeIsLimited writes the highest allowed number of values and bytes of text, and one more.
func TestS51TableSizeIsLimited(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", mostText/8)
	for _, tt := range []struct {
		row  []any
		most int
	}{{make([]any, 1000), mostValues / 1000}, {[]any{long}, 8}} {
		r := NewAnswer("table", io.Discard, true)
		if err := r.WriteHeader(make([]string, len(tt.row)), nil); err != nil {
			t.Fatal(err)
		}
		for i := range tt.most + 1 {
			if err := r.WriteRow(tt.row); (err != nil) != (i == tt.most) || err != nil && !errors.Is(err, ErrTable) {
				t.Fatalf("row %d of %d: %v", i, tt.most, err)
			}
		}
	}
}

// Holds: S27.
func TestTablesHaveNoTerminalControls(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := NewAnswer("table", &out, true)
	if err := r.WriteHeader([]string{"a\x1b[2J"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"\x1b]0;owned\a", "x\u202egnirts", "\u009b31m", "two\nlines", "👩\u200d💻 José"} {
		if err := r.WriteRow([]any{text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.FinishTable(); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if strings.ContainsAny(got, "\x1b\a\u202e\u009b") {
		t.Errorf("the table is %q", got)
	}
	for _, want := range []string{`\u001b]0;owned\u0007`, `x\u202egnirts`, "two", "👩\u200d💻 José", `a\u001b[2J`} {
		if !strings.Contains(got, want) {
			t.Errorf("the table does not show %s:\n%s", want, got)
		}
	}
}

func TestColumnsWithEqualNamesAreAllInJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := NewAnswer("json", &out, false)
	if err := errors.Join(r.WriteHeader([]string{"a", "a", "A", "a_1", "a"}, nil), r.WriteRow([]any{1, 2, 3, 4, 5}), r.FinishTable()); err != nil {
		t.Fatal(err)
	}
	if want := "[\n {\"a\": 1, \"a_1\": 2, \"A\": 3, \"a_1_1\": 4, \"a_2\": 5}\n]\n"; out.String() != want {
		t.Errorf("got %s", out.String())
	}
}
