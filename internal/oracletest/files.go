package oracletest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FilesContaining returns the paths of the files below a directory that contain a text, as it is or in a part compressed with zstd, as DuckDB
// and Parquet files have them. Files that go away meanwhile are skipped.
func FilesContaining(t testing.TB, dir, text string) (found []string) {
	t.Helper()
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) || err == nil && !d.Type().IsRegular() {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if bytes.Contains(content, []byte(text)) || bytes.Contains(decompressFrames(reader, content), []byte(text)) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return found
}

// decompressFrames returns what the zstd frames of a file hold. Of a frame that ends early it returns the part that can be decompressed.
func decompressFrames(reader *zstd.Decoder, content []byte) (texts []byte) {
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for at := bytes.Index(content, magic); at >= 0; {
		var part bytes.Buffer
		if err := reader.Reset(bytes.NewReader(content[at:])); err == nil {
			_, _ = reader.WriteTo(&part) // it always ends with an error: what follows the frame is no frame
		}
		texts = append(texts, part.Bytes()...)
		next := bytes.Index(content[at+1:], magic)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return texts
}
