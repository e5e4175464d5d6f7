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

// archiveEntry is one entry of an archive that a test makes.
type archiveEntry struct {
	tar.Header
	text string
}

func fileEntry(name, text string) archiveEntry {
	return archiveEntry{tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg}, text}
}

func tarOf(t testing.TB, entries ...archiveEntry) []byte {
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

func gzipText(t testing.TB, text []byte) []byte {
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

func tarGzip(t testing.TB, entries ...archiveEntry) []byte {
	t.Helper()
	return gzipText(t, tarOf(t, entries...))
}

func zipOf(t testing.TB, entries ...archiveEntry) []byte {
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

// openSpooled spools bytes and opens them.
func openSpooled(t testing.TB, body []byte, sized bool, l Limits) (*Archive, error) {
	t.Helper()
	f, err := CreateSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.Write(body); err != nil {
		t.Fatal(err)
	}
	return openArchive(f, sized, l)
}

// readRows reads an archive again: fields with bars between, ∅ for null.
func readRows(t testing.TB, a *Archive) []string {
	t.Helper()
	var all []string
	err := a.EachRow(func(member int, cells []Cell) error {
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

// longCSV is a CSV file that compresses badly.
func longCSV(n int) string {
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
	text := longCSV(2000)
	for name, whole := range map[string][]byte{
		"tgz": tarGzip(t, fileEntry("a.csv", text)), "gzip": gzipText(t, []byte(text)), "zip": zipOf(t, fileEntry("a.csv", text)),
		"tgz of two": tarGzip(t, fileEntry("a.csv", text), fileEntry("b.csv", "id\n1\n")),
	} {
		if a, err := openSpooled(t, whole, true, DefaultLimits()); err != nil || a.Rows < 2000 {
			t.Fatalf("%s: whole: %v", name, err)
		}
		for percent := range 100 {
			if _, err := openSpooled(t, whole[:len(whole)*percent/100], true, DefaultLimits()); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: cut at %d%%: %v", name, percent, err)
			}
		}
		for missing := 1; missing <= 40; missing++ {
			if _, err := openSpooled(t, whole[:len(whole)-missing], true, DefaultLimits()); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: without its last %d bytes: %v", name, missing, err)
			}
		}
	}
}

// TestT101AnArchiveCutAtTheEndOfARowIsRefused cuts before the compression: the checksums are right, and only the missing end of
// the archive shows it.
func TestT101AnArchiveCutAtTheEndOfARowIsRefused(t *testing.T) {
	t.Parallel()
	text := longCSV(100)
	whole := tarOf(t, fileEntry("a.csv", text))
	end := 512 + (len(text)+511)/512*512 + 1024 // a header, the rows in blocks, two blocks of zeros
	cuts := []int{end - 1024, end - 512}        // all rows are present, the end of the archive is not, or only half of it
	for cut := 20; cut < end; cut += 28 {
		cuts = append(cuts, cut)
	}
	for _, cut := range cuts {
		if _, err := openSpooled(t, gzipText(t, whole[:cut]), true, DefaultLimits()); !errors.Is(err, ErrFormat) {
			t.Errorf("cut at %d of %d: %v", cut, len(whole), err)
		}
	}
	if _, err := openSpooled(t, gzipText(t, whole[:end]), true, DefaultLimits()); err != nil {
		t.Errorf("whole: %v", err)
	}
}

func TestT101APlainFileOfUnknownLengthNeedsTheEndOfItsLastLine(t *testing.T) {
	t.Parallel()
	if _, err := openSpooled(t, []byte("a,b\n1,2"), false, DefaultLimits()); !errors.Is(err, ErrFormat) {
		t.Errorf("unknown length: %v", err)
	}
	if a, err := openSpooled(t, []byte("a,b\n1,2"), true, DefaultLimits()); err != nil || a.Rows != 1 {
		t.Errorf("known length: %v", err)
	}
	if a, err := openSpooled(t, []byte("a,b\n1,2\n"), false, DefaultLimits()); err != nil || a.Rows != 1 {
		t.Errorf("with an end: %v", err)
	}
}

func TestT102BytesAfterTheEndAreRefused(t *testing.T) {
	t.Parallel()
	text := "id\n1\n"
	for name, body := range map[string][]byte{
		"a second gzip member":      append(tarGzip(t, fileEntry("a.csv", text)), gzipText(t, []byte("2\n"))...),
		"an empty second member":    append(tarGzip(t, fileEntry("a.csv", text)), gzipText(t, nil)...),
		"rows as a second member":   append(gzipText(t, []byte(text)), gzipText(t, []byte("2\n"))...),
		"garbage":                   append(tarGzip(t, fileEntry("a.csv", text)), "garbage"...),
		"zeros":                     append(tarGzip(t, fileEntry("a.csv", text)), 0, 0, 0),
		"garbage after a zip":       append(zipOf(t, fileEntry("a.csv", text)), "garbage"...),
		"garbage in the tar's tail": gzipText(t, append(tarOf(t, fileEntry("a.csv", text)), "x"...)),
		"a second tar":              gzipText(t, append(tarOf(t, fileEntry("a.csv", text)), tarOf(t, fileEntry("b.csv", text))...)),
	} {
		if _, err := openSpooled(t, body, true, DefaultLimits()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	padded := gzipText(t, append(tarOf(t, fileEntry("a.csv", text)), make([]byte, 8192)...))
	if _, err := openSpooled(t, padded, true, DefaultLimits()); err != nil {
		t.Errorf("blocks of zeros, as tar pads: %v", err)
	}
}

// Holds: S16.
func TestT103HostileEntriesAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	text := "id\n1\n"
	link := func(kind byte) archiveEntry {
		return archiveEntry{tar.Header{Name: "a.csv", Typeflag: kind, Linkname: "/etc/passwd"}, ""}
	}
	many := make([]archiveEntry, 1200)
	for i := range many {
		many[i] = fileEntry(fmt.Sprintf("%d.txt", i), "")
	}
	sparse := archiveEntry{tar.Header{Name: "a.csv", Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"AQUEDUCK.abc": "1"}}, text}
	for name, body := range map[string][]byte{
		"up":          tarGzip(t, fileEntry("../../a.csv", text)),
		"absolute":    tarGzip(t, fileEntry("/etc/a.csv", text)),
		"backslashes": tarGzip(t, fileEntry(`..\a.csv`, text)),
		"symlink":     tarGzip(t, link(tar.TypeSymlink)),
		"hard link":   tarGzip(t, link(tar.TypeLink)),
		"device":      tarGzip(t, archiveEntry{tar.Header{Name: "a.csv", Typeflag: tar.TypeChar}, ""}),
		"fifo":        tarGzip(t, archiveEntry{tar.Header{Name: "a.csv", Typeflag: tar.TypeFifo}, ""}),
		"twice":       tarGzip(t, fileEntry("a.csv", text), fileEntry("a.csv", text)),
		"very many":   tarGzip(t, append(many, fileEntry("a.csv", text))...),
		"zip, up":     zipOf(t, fileEntry("../a.csv", text)),
		"zip, twice":  zipOf(t, fileEntry("a.csv", text), fileEntry("a.csv", text)),
		"sparse":      sparseTar(t, sparse),
	} {
		if _, err := openSpooled(t, body, true, DefaultLimits()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sparseTar turns a harmless record of an entry into one that makes it sparse, which no writer would do.
func sparseTar(t testing.TB, e archiveEntry) []byte {
	t.Helper()
	body := tarOf(t, e)
	return gzipText(t, bytes.Replace(body, []byte("AQUEDUCK.abc=1\n"), []byte("GNU.sparse.a=1\n"), 1))
}

// Holds: S17.
func TestT104BombsAreRefusedBeforeTheyHurt(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	l.Text, l.Cell, l.Row, l.Header = 8<<20, 10_000, 20_000, 5_000
	row := strings.Repeat("x", 4000) + "\n"
	for name, body := range map[string][]byte{
		"ratio":         gzipText(t, []byte("a\n"+strings.Repeat(row, 1000))),
		"zip ratio":     zipOf(t, fileEntry("a.csv", "a\n"+strings.Repeat(row, 1000))),
		"cell":          tarGzip(t, fileEntry("a.csv", "a\n"+strings.Repeat("y", 10_001)+"\n")),
		"quoted cell":   tarGzip(t, fileEntry("a.csv", "a\n\""+strings.Repeat("y", 10_001)+"\"\n")),
		"row":           tarGzip(t, fileEntry("a.csv", "a,b,c\n"+strings.Repeat(strings.Repeat("z", 9_000)+",", 3)+"\n")),
		"header":        tarGzip(t, fileEntry("a.csv", strings.Repeat("h,", 4_000)+"\n")),
		"long header":   tarGzip(t, fileEntry("a.csv", strings.Repeat("h", 6_000)+"\n")),
		"endless row":   tarGzip(t, fileEntry("a.csv", "a\n"+strings.Repeat(",", 100_000))),
		"member of txt": tarGzip(t, fileEntry("a.csv", "a\n1\n"), fileEntry("b.txt", strings.Repeat("0", 3<<20))),
		"json record":   tarGzip(t, fileEntry("a.json", `{"a":"`+strings.Repeat("j", 100_000)+`"}`)),
		"json columns":  tarGzip(t, fileEntry("a.json", manyColumns(2100))),
	} {
		if _, err := openSpooled(t, body, true, l); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.File = 100
	if _, err := openSpooled(t, make([]byte, 101), true, l); !errors.Is(err, ErrFormat) {
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
		"tgz": tarGzip(t, fileEntry("x/a.csv", text)), "gzip": gzipText(t, []byte(text)), "zip": zipOf(t, fileEntry("a.CSV", text)), "plain": []byte(text),
		"beside others": tarGzip(t, archiveEntry{tar.Header{Name: "x/", Typeflag: tar.TypeDir}, ""}, fileEntry("README.txt", "hello"), fileEntry("x/._a.csv", "\x00\x05"), fileEntry("x/a.csv", text)),
		"ndjson":        tarGzip(t, fileEntry("a.ndjson", "{\"id\":1,\"at\":\"2\"}\n{\"id\":3,\"at\":null}\n")),
		"jsonl":         tarGzip(t, fileEntry("a.jsonl", "{\"id\":1,\"at\":\"2\"}{\"id\":3}")),
		"json":          tarGzip(t, fileEntry("a.json", " [{\"id\":1,\"at\":\"2\"},{\"id\":3}] ")),
		"plain json":    []byte(`[{"id":1,"at":"2"},{"id":3}]`),
	} {
		a, err := openSpooled(t, body, true, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(readRows(t, a), " "); got != want || a.Rows != 2 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestT111AHeaderAloneIsNoRowsAndNoMemberIsAnError(t *testing.T) {
	t.Parallel()
	if a, err := openSpooled(t, tarGzip(t, fileEntry("a.csv", "id,at\r\n")), true, DefaultLimits()); err != nil || a.Rows != 0 || len(a.Members[0].Header) != 2 {
		t.Errorf("a header alone: %+v, %v", a, err)
	}
	for name, body := range map[string][]byte{
		"nothing": nil, "no member": tarGzip(t), "only a readme": tarGzip(t, fileEntry("README", "x")), "an empty member": tarGzip(t, fileEntry("a.csv", "")),
		"an empty zip": zipOf(t), "an empty stream": gzipText(t, nil), "a page": []byte("<html><body>Not here</body></html>"),
		"an error": []byte(`{"type":"error.list","errors":[]}`), "a page in gzip": gzipText(t, []byte("\n<!DOCTYPE html>")),
	} {
		if _, err := openSpooled(t, body, true, DefaultLimits()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestT112AllMembersAreRead(t *testing.T) {
	t.Parallel()
	a, err := openSpooled(t, tarGzip(t, fileEntry("a.csv", "id,at\n1,2\n"), fileEntry("b.csv", "at,id\n4,3\n"), fileEntry("c.csv", "id\n5\n")), true, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(readRows(t, a), " "); got != "0|1|2 1|4|3 2|5" || len(a.Members) != 3 || a.Members[1].Name != "b.csv" {
		t.Errorf("%s %+v", got, a.Members)
	}
}

// Holds: S22.
func TestASpoolFileHasNoName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := CreateSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}
