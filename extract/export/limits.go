package export

import "io"

// Limits bound what a file may make of itself.
type Limits struct {
	File    int64 // bytes as it comes
	Text    int64 // bytes of all that is in it
	Ratio   int64 // of the two
	Entries int   // of an archive
	Columns int   // of a file
	Header  int   // bytes of a header
	Cell    int   // bytes of a field
	Row     int   // bytes of a row
}

// DefaultLimits is far above any real export and far below what would hurt.
func DefaultLimits() Limits {
	return Limits{File: 2 << 30, Text: 16 << 30, Ratio: 200, Entries: 1000, Columns: 2000, Header: 256 << 10, Cell: 4 << 20, Row: 16 << 20}
}

// ratioSlack is what a small file may hold whatever its ratio: a header and a few rows that are alike.
const ratioSlack = 1 << 20

// ratioReader ends a stream that gives more than it may.
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
