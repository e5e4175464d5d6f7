package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sumsName is the file with the checksums, in the form of sha256sum.
const sumsName = "SHA256SUMS"

// released are the names of files that people install from.
var released = []string{"aqueduck_*.tar.gz", "aqueduck_*.deb", "aqueduck_*.oci.tar"}

// writeChecksums writes SHA256SUMS over all released files of a directory. A signature of earlier checksums is removed.
func writeChecksums(dir string) error {
	var all []string
	for _, pattern := range released {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	var lines strings.Builder
	for _, path := range all {
		sum, err := sumFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sum, filepath.Base(path))
	}
	sums := filepath.Join(dir, sumsName)
	if err := os.Remove(sums + ".asc"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(sums, []byte(lines.String()), 0o644)
}

func sumFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

// signChecksums writes a detached signature of the checksums, SHA256SUMS.asc, with a key of the person who releases. Without a key it
// does nothing.
func signChecksums(ctx context.Context, dir, key string, env []string) error {
	if key == "" {
		return nil
	}
	if _, err := runCommand(ctx, dir, env, "gpg", "--batch", "--yes", "--armor", "--detach-sign", "--local-user", key, sumsName); err != nil {
		return fmt.Errorf("sign %s with the key %s: gpg --list-secret-keys lists the keys: %w", sumsName, key, err)
	}
	return nil
}
