package export

import (
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// unzipReader turns errors of a decompressor into ErrFormat.
type unzipReader struct{ r io.Reader }

func (u *unzipReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = formatErrorf("decompress: %v", err)
	}
	return n, err
}

// checkEntry refuses an entry that no export contains. Nothing is ever written under its name, but such an archive is no export.
func checkEntry(name string, regular bool) error {
	switch {
	case !regular:
		return formatErrorf("%s is not a regular file", printableName(name))
	case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00"):
		return formatErrorf("%s points outside the archive", printableName(name))
	}
	return nil
}

// holdsRows reports whether a member is a file of rows, by its name.
func holdsRows(name string) bool {
	base := strings.ToLower(path.Base(name))
	if strings.HasPrefix(base, ".") {
		return false // metadata of an operating system
	}
	for _, ending := range []string{".csv", ".json", ".ndjson", ".jsonl"} {
		if strings.HasSuffix(base, ending) {
			return true
		}
	}
	return false
}

// printableName is a name for messages: without control characters, at most 100 bytes.
func printableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufffd' {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
	if len(name) > 100 {
		return strings.ToValidUTF8(name[:100], "") + "…"
	}
	return name
}
