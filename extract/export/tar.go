package export

import (
	"archive/tar"
	"bufio"
	"errors"
	"io"
	"strings"
)

// isTar recognises a tar archive by the magic of its first header, or by a block of zeros, which is an archive without entries.
func isTar(start []byte) bool {
	if len(start) < 512 {
		return false
	}
	if string(start[257:262]) == "ustar" {
		return true
	}
	return allZero(start[:512]) // the end of an archive without entries
}

// countingReader counts the bytes that the archive's reader takes.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// readTar reads the regular files of an archive. Package tar accepts the end of the input as the end of the archive: readTar
// checks that two blocks of zeros end it, and that only zeros follow.
func readTar(r io.Reader, l Limits, visit func(string, *bufio.Reader) error) error {
	in := &countingReader{r: r}
	t := tar.NewReader(in)
	entries := 0
	var done, pad int64
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if errors.Is(err, ErrFormat) {
				return err
			}
			return formatErrorf("%v", err)
		}
		if entries++; entries > l.Entries {
			return formatErrorf("it has more than %d entries", l.Entries)
		}
		if err := untarOne(t, h, visit); err != nil {
			return err
		}
		done, pad = in.n, (512-h.Size%512)%512
	}
	if in.n-done-pad < 1024 {
		return formatErrorf("the archive has no end")
	}
	rest := make([]byte, 32<<10)
	for {
		n, err := in.Read(rest)
		if !allZero(rest[:n]) {
			return formatErrorf("bytes follow the end of the archive")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// untarOne reads one entry to its end.
func untarOne(t *tar.Reader, h *tar.Header, visit func(string, *bufio.Reader) error) error {
	if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	sparse := h.Typeflag == tar.TypeGNUSparse
	for name := range h.PAXRecords {
		sparse = sparse || strings.HasPrefix(name, "GNU.sparse.")
	}
	if err := checkEntry(h.Name, h.Typeflag == tar.TypeReg && !sparse); err != nil {
		return err
	}
	if holdsRows(h.Name) {
		if err := visit(printableName(h.Name), bufio.NewReaderSize(&unzipReader{t}, 64<<10)); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, t); err != nil {
		return formatErrorf("%s: %v", printableName(h.Name), err)
	}
	return nil
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
