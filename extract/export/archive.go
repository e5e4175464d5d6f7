// Package export asks for reporting exports, waits for them, and reads their archives without unpacking them to disk.
package export

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Archive is the file of an export, which was read to its end once and found complete.
type Archive struct {
	Members []Member
	Rows    int64 // in all members, without headers
	Text    int64 // bytes of all cells

	file   *os.File
	size   int64
	sized  bool
	limits Limits
}

// Member is one file of rows in an Archive.
type Member struct {
	Name   string // for messages
	Header []string
	Rows   int64
}

// openArchive reads a file to its end and checks that it is a complete export: checksums, ends and rows. sized says that the
// length of the file is known to be right. A plain text without it must end with a line break.
func openArchive(file *os.File, sized bool, l Limits) (*Archive, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	a := &Archive{file: file, size: info.Size(), sized: sized, limits: l}
	if a.size > l.File {
		return nil, formatErrorf("it has %d bytes, more than %d", a.size, l.File)
	}
	seen := map[string]bool{}
	err = a.walkMembers(func(name string, r *bufio.Reader) error {
		if seen[name] {
			return formatErrorf("two members are called %s", name)
		}
		seen[name] = true
		m := Member{Name: name}
		t, err := a.openTable(name, r, nil)
		if err != nil {
			return err
		}
		for {
			cells, err := t.nextRow()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for _, c := range cells {
				a.Text += int64(len(c.Text))
			}
			m.Rows++
		}
		m.Header = t.headerNames()
		if name == plainName && !sized && !t.isComplete() {
			return formatErrorf("its last line is incomplete and its length is unknown")
		}
		a.Members = append(a.Members, m)
		a.Rows += m.Rows
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(a.Members) == 0 {
		return nil, formatErrorf("it contains no file with rows")
	}
	return a, nil
}

// EachRow reads all rows once more, member by member. The cells are valid until visit returns. Cells that a row lacks at its end
// are null.
func (a *Archive) EachRow(visit func(member int, cells []Cell) error) error {
	n := 0
	return a.walkMembers(func(name string, r *bufio.Reader) error {
		t, err := a.openTable(name, r, a.Members[n].Header)
		if err != nil {
			return err
		}
		for {
			cells, err := t.nextRow()
			if errors.Is(err, io.EOF) {
				n++
				return nil
			}
			if err == nil {
				err = visit(n, cells)
			}
			if err != nil {
				return err
			}
		}
	})
}

// plainName is the member name of a file that is no archive.
const plainName = "the file itself"

// openTable chooses the reader of a member by its name, or by its first bytes where it has none.
func (a *Archive) openTable(name string, r *bufio.Reader, header []string) (t tableReader, err error) {
	asJSON := false
	if name == plainName {
		start, _ := r.Peek(1024) // a shorter file gives what it has
		if first := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n"); len(first) > 0 {
			asJSON = first[0] == '{' || first[0] == '['
			if first[0] == '<' || asJSON && bytes.Contains(first, []byte(`"error.list"`)) {
				return nil, formatErrorf("it is an HTML page or an error, not an export")
			}
		}
	} else {
		asJSON = !strings.HasSuffix(strings.ToLower(name), ".csv")
	}
	if asJSON {
		t, err = newJSON(r, a.limits, header)
	} else {
		t, err = newCSV(r, a.limits)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return namedTable{t, name}, nil
}

// namedTable adds the member's name to errors.
type namedTable struct {
	tableReader
	name string
}

func (n namedTable) nextRow() ([]Cell, error) {
	cells, err := n.tableReader.nextRow()
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s: %w", n.name, err)
	}
	return cells, err
}

// walkMembers calls visit for every file of rows. The first bytes tell the form of the file.
func (a *Archive) walkMembers(visit func(name string, r *bufio.Reader) error) error {
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var magic [4]byte
	n, err := io.ReadFull(a.file, magic[:])
	if n == 0 {
		return formatErrorf("it is empty")
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	left := min(a.limits.Text, a.size*a.limits.Ratio+ratioSlack)
	switch {
	case magic[0] == 0x1f && magic[1] == 0x8b:
		return a.readGzip(&left, visit)
	case string(magic[:]) == "PK\x03\x04", string(magic[:]) == "PK\x05\x06":
		return a.readZip(&left, visit)
	}
	return visit(plainName, bufio.NewReaderSize(&ratioReader{a.file, &left}, 64<<10))
}

// readGzip reads one gzip stream. Bytes after it are an error: a second stream would be decoded as part of the first.
func (a *Archive) readGzip(left *int64, visit func(string, *bufio.Reader) error) error {
	in := bufio.NewReaderSize(a.file, 64<<10)
	z, err := gzip.NewReader(in)
	if err != nil {
		return formatErrorf("decompress: %v", err)
	}
	z.Multistream(false)
	text := bufio.NewReaderSize(&ratioReader{&unzipReader{z}, left}, 64<<10)
	start, _ := text.Peek(512) // a read error occurs again below
	if isTar(start) {
		err = readTar(text, a.limits, visit)
	} else {
		err = visit(plainName, text)
	}
	if err != nil {
		return err
	}
	// gzip verifies the checksum at the stream's end.
	if n, err := io.Copy(io.Discard, text); err != nil || n > 0 {
		return errors.Join(err, formatErrorf("%d bytes follow the rows", n))
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return formatErrorf("bytes follow the end of the compressed stream")
	}
	return nil
}

// readZip reads a zip archive. Its directory must be the end of the file.
func (a *Archive) readZip(left *int64, visit func(string, *bufio.Reader) error) error {
	z, err := zip.NewReader(a.file, a.size)
	if err != nil {
		return formatErrorf("%v", err)
	}
	end := make([]byte, 22)
	if _, err := a.file.ReadAt(end, a.size-int64(len(end)+len(z.Comment))); err != nil || string(end[:4]) != "PK\x05\x06" {
		return formatErrorf("bytes follow the end of the archive")
	}
	if len(z.File) > a.limits.Entries {
		return formatErrorf("it has %d entries, more than %d", len(z.File), a.limits.Entries)
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if err := checkEntry(f.Name, f.Mode().IsRegular()); err != nil {
			return err
		}
		if !holdsRows(f.Name) {
			continue
		}
		if err := unzipOne(f, left, visit); err != nil {
			return err
		}
	}
	return nil
}

func unzipOne(f *zip.File, left *int64, visit func(string, *bufio.Reader) error) error {
	r, err := f.Open()
	if err != nil {
		return formatErrorf("%s: %v", printableName(f.Name), err)
	}
	err = visit(printableName(f.Name), bufio.NewReaderSize(&ratioReader{&unzipReader{r}, left}, 64<<10))
	return errors.Join(err, r.Close())
}
