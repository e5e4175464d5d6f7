package export

import "io"

// Limits bound the size of an export's file and its contents.
type Limits struct {
	File    int64 // bytes as sent
	Text    int64 // bytes decompressed
	Ratio   int64 // of Text to File
	Entries int   // in an archive
	Columns int   // in a file
	Header  int   // bytes of a header
	Cell    int   // bytes of a field
	Row     int   // bytes of a row
}

// DefaultLimits are far above real exports and far below what would exhaust the machine.
func DefaultLimits() Limits {
	return Limits{File: 2 << 30, Text: 16 << 30, Ratio: 200, Entries: 1000, Columns: 2000, Header: 256 << 10, Cell: 4 << 20, Row: 16 << 20}
}

// ratioSlack is the size to which a small file may always decompress: a header and similar rows compress well.
const ratioSlack = 1 << 20

// ratioReader fails when a stream gives more bytes than are left.
type ratioReader struct {
	r    io.Reader
	left *int64
}

func (b *ratioReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, formatErrorf("it expands to far more than its size allows")
	}
	return n, err
}
