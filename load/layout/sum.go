package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"aqueduck/load/access"
	"aqueduck/load/internal/disk"
)

// SumFile is the path of a published file's checksum, in the format of sha256sum.
func SumFile(file string) string { return strings.TrimSuffix(file, ".duckdb") + ".sha256" }

// WriteSum writes the checksum of a file that will be called name. Readers of the warehouse may read it.
func WriteSum(d Dir, sumFile, file, name string) error {
	sum, err := Sum(file)
	if err != nil {
		return err
	}
	return recordSum(d, sumFile, sum, name)
}

// recordSum writes the checksum file of a file that will be called name.
func recordSum(d Dir, sumFile, sum, name string) error {
	if err := os.WriteFile(sumFile, []byte(sum+"  "+name+"\n"), 0o444); err != nil {
		return err
	}
	if err := access.Share(string(d), sumFile, 0o444); err != nil {
		return err
	}
	return disk.SyncFile(sumFile)
}

// Sum is the SHA-256 of a file in hexadecimal.
func Sum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ErrNoSum is the error of a published file whose checksum is missing.
var ErrNoSum = errors.New("a published file has no checksum, so it cannot be trusted")

// RefuseUnsummed returns an ErrNoSum where the next run has to begin from a published file, and none has a checksum. It reads no file.
func RefuseUnsummed(d Dir) error {
	files, err := d.PublishedFiles()
	if err != nil || len(files) == 0 || disk.Exists(d.Work()) {
		return nil
	}
	for _, file := range files {
		if disk.Exists(SumFile(file)) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s is missing", ErrNoSum, SumFile(files[0]))
}

// CheckSum refuses a file whose checksum differs from the recorded one.
func CheckSum(file, sumFile string) error {
	text, err := os.ReadFile(sumFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing", ErrNoSum, sumFile)
	}
	if err != nil {
		return err
	}
	want, _, _ := strings.Cut(string(text), " ")
	got, err := Sum(file)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s.duckdb was changed after it was published: its checksum differs from that in its .sha256 file", strings.TrimSuffix(sumFile, ".sha256"))
	}
	return nil
}

// RecordedSum is the checksum that a published file was recorded with; "" where none is recorded.
func RecordedSum(file string) string {
	text, err := os.ReadFile(SumFile(file))
	if err != nil {
		return ""
	}
	sum, _, _ := strings.Cut(string(text), " ")
	return sum
}
