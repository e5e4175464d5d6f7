package export

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// entry is one entry of an archive that a test makes.
type entry struct {
	tar.Header
	text string
}

func file(name, text string) entry {
	return entry{tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg}, text}
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		e.Size = int64(len(e.text))
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func tgz(t testing.TB, entries ...entry) []byte { t.Helper(); return zipped(t, tarOf(t, entries...)) }

func zipOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range entries {
		f, err := w.Create(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// open spools bytes and opens them.
func open(t testing.TB, body []byte, sized bool, l Limits) (*Archive, error) {
	t.Helper()
	f, err := Spool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.Write(body); err != nil {
		t.Fatal(err)
	}
	return openArchive(f, sized, l)
}

// rows reads an archive again: fields with bars between, ∅ for null.
func rows(t testing.TB, a *Archive) []string {
	t.Helper()
	var all []string
	err := a.Each(func(member int, cells []Cell) error {
		line := []string{fmt.Sprint(member)}
		for _, c := range cells {
			if c.Null {
				line = append(line, "∅")
				continue
			}
			line = append(line, string(c.Text))
		}
		all = append(all, strings.Join(line, "|"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// long is a CSV file whose text does not compress to nothing.
func long(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id,at,text\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%d,%x\n", i, 1_700_000_000+i, r.Uint64())
	}
	return b.String()
}

func TestT101AnArchiveCutAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	text := long(2000)
	for name, whole := range map[string][]byte{
		"tgz": tgz(t, file("a.csv", text)), "gzip": zipped(t, []byte(text)), "zip": zipOf(t, file("a.csv", text)),
		"tgz of two": tgz(t, file("a.csv", text), file("b.csv", "id\n1\n")),
	} {
		if a, err := open(t, whole, true, Usual()); err != nil || a.Rows < 2000 {
			t.Fatalf("%s: whole: %v", name, err)
		}
		for percent := range 100 {
			if _, err := open(t, whole[:len(whole)*percent/100], true, Usual()); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: cut at %d%%: %v", name, percent, err)
			}
		}
		for missing := 1; missing <= 40; missing++ {
			if _, err := open(t, whole[:len(whole)-missing], true, Usual()); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: without its last %d bytes: %v", name, missing, err)
			}
		}
	}
}

// TestT101AnArchiveCutAtTheEndOfARowIsRefused cuts before the compression: checksums are right then, and only the
// archive's own end tells.
func TestT101AnArchiveCutAtTheEndOfARowIsRefused(t *testing.T) {
	t.Parallel()
	text := long(100)
	whole := tarOf(t, file("a.csv", text))
	end := 512 + (len(text)+511)/512*512 + 1024 // a header, the rows in blocks, two blocks of zeros
	cuts := []int{end - 1024, end - 512}        // all rows are there, the archive's own end is not, or not all of it
	for cut := 20; cut < end; cut += 28 {
		cuts = append(cuts, cut)
	}
	for _, cut := range cuts {
		if _, err := open(t, zipped(t, whole[:cut]), true, Usual()); !errors.Is(err, ErrFormat) {
			t.Errorf("cut at %d of %d: %v", cut, len(whole), err)
		}
	}
	if _, err := open(t, zipped(t, whole[:end]), true, Usual()); err != nil {
		t.Errorf("whole: %v", err)
	}
}

func TestT101APlainFileOfUnknownLengthNeedsTheEndOfItsLastLine(t *testing.T) {
	t.Parallel()
	if _, err := open(t, []byte("a,b\n1,2"), false, Usual()); !errors.Is(err, ErrFormat) {
		t.Errorf("unknown length: %v", err)
	}
	if a, err := open(t, []byte("a,b\n1,2"), true, Usual()); err != nil || a.Rows != 1 {
		t.Errorf("known length: %v", err)
	}
	if a, err := open(t, []byte("a,b\n1,2\n"), false, Usual()); err != nil || a.Rows != 1 {
		t.Errorf("with an end: %v", err)
	}
}

func TestT102BytesAfterTheEndAreRefused(t *testing.T) {
	t.Parallel()
	text := "id\n1\n"
	for name, body := range map[string][]byte{
		"a second gzip member":      append(tgz(t, file("a.csv", text)), zipped(t, []byte("2\n"))...),
		"an empty second member":    append(tgz(t, file("a.csv", text)), zipped(t, nil)...),
		"rows as a second member":   append(zipped(t, []byte(text)), zipped(t, []byte("2\n"))...),
		"garbage":                   append(tgz(t, file("a.csv", text)), "garbage"...),
		"zeros":                     append(tgz(t, file("a.csv", text)), 0, 0, 0),
		"garbage after a zip":       append(zipOf(t, file("a.csv", text)), "garbage"...),
		"garbage in the tar's tail": zipped(t, append(tarOf(t, file("a.csv", text)), "x"...)),
		"a second tar":              zipped(t, append(tarOf(t, file("a.csv", text)), tarOf(t, file("b.csv", text))...)),
	} {
		if _, err := open(t, body, true, Usual()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	padded := zipped(t, append(tarOf(t, file("a.csv", text)), make([]byte, 8192)...))
	if _, err := open(t, padded, true, Usual()); err != nil {
		t.Errorf("blocks of zeros, as tar pads: %v", err)
	}
}

// Holds: S16.
func TestT103HostileEntriesAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	text := "id\n1\n"
	link := func(kind byte) entry {
		return entry{tar.Header{Name: "a.csv", Typeflag: kind, Linkname: "/etc/passwd"}, ""}
	}
	many := make([]entry, 1200)
	for i := range many {
		many[i] = file(fmt.Sprintf("%d.txt", i), "")
	}
	sparse := entry{tar.Header{Name: "a.csv", Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"AQUEDUCK.abc": "1"}}, text}
	for name, body := range map[string][]byte{
		"up":          tgz(t, file("../../a.csv", text)),
		"absolute":    tgz(t, file("/etc/a.csv", text)),
		"backslashes": tgz(t, file(`..\a.csv`, text)),
		"symlink":     tgz(t, link(tar.TypeSymlink)),
		"hard link":   tgz(t, link(tar.TypeLink)),
		"device":      tgz(t, entry{tar.Header{Name: "a.csv", Typeflag: tar.TypeChar}, ""}),
		"fifo":        tgz(t, entry{tar.Header{Name: "a.csv", Typeflag: tar.TypeFifo}, ""}),
		"twice":       tgz(t, file("a.csv", text), file("a.csv", text)),
		"very many":   tgz(t, append(many, file("a.csv", text))...),
		"zip, up":     zipOf(t, file("../a.csv", text)),
		"zip, twice":  zipOf(t, file("a.csv", text), file("a.csv", text)),
		"sparse":      sparseTar(t, sparse),
	} {
		if _, err := open(t, body, true, Usual()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sparseTar turns a harmless record of an entry into one that makes it sparse, which no writer would do.
func sparseTar(t testing.TB, e entry) []byte {
	t.Helper()
	body := tarOf(t, e)
	return zipped(t, bytes.Replace(body, []byte("AQUEDUCK.abc=1\n"), []byte("GNU.sparse.a=1\n"), 1))
}

// Holds: S17.
func TestT104BombsAreRefusedBeforeTheyHurt(t *testing.T) {
	t.Parallel()
	l := Usual()
	l.Text, l.Cell, l.Row, l.Header = 8<<20, 10_000, 20_000, 5_000
	row := strings.Repeat("x", 4000) + "\n"
	for name, body := range map[string][]byte{
		"ratio":         zipped(t, []byte("a\n"+strings.Repeat(row, 1000))),
		"zip ratio":     zipOf(t, file("a.csv", "a\n"+strings.Repeat(row, 1000))),
		"cell":          tgz(t, file("a.csv", "a\n"+strings.Repeat("y", 10_001)+"\n")),
		"quoted cell":   tgz(t, file("a.csv", "a\n\""+strings.Repeat("y", 10_001)+"\"\n")),
		"row":           tgz(t, file("a.csv", "a,b,c\n"+strings.Repeat(strings.Repeat("z", 9_000)+",", 3)+"\n")),
		"header":        tgz(t, file("a.csv", strings.Repeat("h,", 4_000)+"\n")),
		"long header":   tgz(t, file("a.csv", strings.Repeat("h", 6_000)+"\n")),
		"endless row":   tgz(t, file("a.csv", "a\n"+strings.Repeat(",", 100_000))),
		"member of txt": tgz(t, file("a.csv", "a\n1\n"), file("b.txt", strings.Repeat("0", 3<<20))),
		"json record":   tgz(t, file("a.json", `{"a":"`+strings.Repeat("j", 100_000)+`"}`)),
		"json columns":  tgz(t, file("a.json", manyColumns(2100))),
	} {
		if _, err := open(t, body, true, l); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.File = 100
	if _, err := open(t, make([]byte, 101), true, l); !errors.Is(err, ErrFormat) {
		t.Errorf("file: %v", err)
	}
}

func manyColumns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"c%d":1}`, i)
	}
	return b.String()
}

func TestEveryFormGivesTheSameRows(t *testing.T) {
	t.Parallel()
	text := "id,at\n1,2\n3,\n"
	want := "0|1|2 0|3|∅"
	for name, body := range map[string][]byte{
		"tgz": tgz(t, file("x/a.csv", text)), "gzip": zipped(t, []byte(text)), "zip": zipOf(t, file("a.CSV", text)), "plain": []byte(text),
		"beside others": tgz(t, entry{tar.Header{Name: "x/", Typeflag: tar.TypeDir}, ""}, file("README.txt", "hello"), file("x/._a.csv", "\x00\x05"), file("x/a.csv", text)),
		"ndjson":        tgz(t, file("a.ndjson", "{\"id\":1,\"at\":\"2\"}\n{\"id\":3,\"at\":null}\n")),
		"jsonl":         tgz(t, file("a.jsonl", "{\"id\":1,\"at\":\"2\"}{\"id\":3}")),
		"json":          tgz(t, file("a.json", " [{\"id\":1,\"at\":\"2\"},{\"id\":3}] ")),
		"plain json":    []byte(`[{"id":1,"at":"2"},{"id":3}]`),
	} {
		a, err := open(t, body, true, Usual())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(rows(t, a), " "); got != want || a.Rows != 2 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestT111AHeaderAloneIsNoRowsAndNoMemberIsAnError(t *testing.T) {
	t.Parallel()
	if a, err := open(t, tgz(t, file("a.csv", "id,at\r\n")), true, Usual()); err != nil || a.Rows != 0 || len(a.Members[0].Header) != 2 {
		t.Errorf("a header alone: %+v, %v", a, err)
	}
	for name, body := range map[string][]byte{
		"nothing": nil, "no member": tgz(t), "only a readme": tgz(t, file("README", "x")), "an empty member": tgz(t, file("a.csv", "")),
		"an empty zip": zipOf(t), "an empty stream": zipped(t, nil), "a page": []byte("<html><body>Not here</body></html>"),
		"an error": []byte(`{"type":"error.list","errors":[]}`), "a page in gzip": zipped(t, []byte("\n<!DOCTYPE html>")),
	} {
		if _, err := open(t, body, true, Usual()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestT112AllMembersAreRead(t *testing.T) {
	t.Parallel()
	a, err := open(t, tgz(t, file("a.csv", "id,at\n1,2\n"), file("b.csv", "at,id\n4,3\n"), file("c.csv", "id\n5\n")), true, Usual())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows(t, a), " "); got != "0|1|2 1|4|3 2|5" || len(a.Members) != 3 || a.Members[1].Name != "b.csv" {
		t.Errorf("%s %+v", got, a.Members)
	}
}

// Holds: S22.
func TestASpoolFileHasNoName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := Spool(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}
