package export

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// parseCSV reads a text as CSV, its header first.
func parseCSV(text string) (all [][]string, nulls [][]bool, err error) {
	c, err := newCSV(bufio.NewReader(strings.NewReader(text)), DefaultLimits())
	if err != nil {
		return nil, nil, err
	}
	all = append(all, c.headerNames())
	for {
		cells, err := c.nextRow()
		if errors.Is(err, io.EOF) {
			return all, nulls, nil
		}
		if err != nil {
			return nil, nil, err
		}
		var row []string
		var null []bool
		for _, cell := range cells {
			row, null = append(row, string(cell.Text)), append(null, cell.Null)
		}
		all, nulls = append(all, row), append(nulls, null)
	}
}

func TestT110CSVIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string // fields of the second line
		null       []bool
	}{
		{"byte order mark", "\ufeffa,b\n1,2\n", []string{"1", "2"}, nil},
		{"CRLF", "a,b\r\n1,2\r\n", []string{"1", "2"}, nil},
		{"no end of line", "a,b\n1,2", []string{"1", "2"}, nil},
		{"quotes", "a,b\n\"x,\"\"y\"\"\",2\n", []string{`x,"y"`, "2"}, nil},
		{"line breaks inside", "a,b\n\"one\r\ntwo\nthree\",2\n", []string{"one\r\ntwo\nthree", "2"}, nil},
		{"null and empty", "a,b\n,\"\"\n", []string{"", ""}, []bool{true, false}},
		{"nothing is trimmed", "a,b\n  x ,\t\n", []string{"  x ", "\t"}, nil},
		{"formulas are text", "a,b\n=cmd|' /C calc'!A0,+1\n", []string{"=cmd|' /C calc'!A0", "+1"}, nil},
		{"one column, null", "a\n\n", []string{""}, []bool{true}},
		{"a mark inside", "a\n\ufeffx\n", []string{"\ufeffx"}, nil},
	} {
		all, nulls, err := parseCSV(c.text)
		if err != nil || len(all) != 2 || !slices.Equal(all[1], c.want) {
			t.Errorf("%s: %q %v", c.name, all, err)
			continue
		}
		if c.null != nil && !slices.Equal(nulls[0], c.null) {
			t.Errorf("%s: null %v", c.name, nulls[0])
		}
	}
	for name, text := range map[string]string{
		"a quote inside": "a\nx\"y\n", "text after a quote": "a\n\"x\"y\n", "no closing quote": "a\n\"x\n", "too few": "a,b\n1\n",
		"too many": "a,b\n1,2,3\n", "a blank line": "a,b\n1,2\n\n3,4\n", "a bare carriage return": "a\nx\ry\n", "cr at the end": "a\nx\r",
		"no header": "", "zeros": "a\n\x00\n",
	} {
		if _, _, err := parseCSV(text); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzCSV compares with the standard library where both have the same rules: that one drops blank lines, and carriage
// returns before a line's end inside of quotes.
// Holds: T110.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a\n\"x\"\"\"\n", "a,b\n\"1\n2\",\n", "a,\"b\"\r\n,\"\"\r\n", "\"", "a\n\"\"\"\"\n", "a,b\n1\n", "\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, '\r') || strings.Contains("\n"+text, "\n\n") || strings.HasPrefix(text, "\ufeff") || strings.ContainsRune(text, 0) {
			return
		}
		got, _, err := parseCSV(text)
		want, theirs := csv.NewReader(strings.NewReader(text)).ReadAll()
		if theirs == nil && len(want) == 0 {
			theirs = io.EOF // without a header there is nothing to read
		}
		if (err == nil) != (theirs == nil) {
			t.Fatalf("%q: ours %v, theirs %v", text, err, theirs)
		}
		if err == nil && !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%q: ours %q, theirs %q", text, got, want)
		}
	})
}

// FuzzOpen checks that an archive that is accepted reads the same once more, and that the reader never panics.
func FuzzOpen(f *testing.F) {
	f.Add(tarGzip(f, fileEntry("a.csv", "id\n1\n")))
	f.Add(zipOf(f, fileEntry("a.csv", "id\n1\n")))
	f.Add([]byte(`[{"a":1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := openSpooled(t, body, true, DefaultLimits())
		if err != nil {
			return
		}
		if n := len(readRows(t, a)); int64(n) != a.Rows {
			t.Errorf("%d rows the second time, %d the first", n, a.Rows)
		}
	})
}
