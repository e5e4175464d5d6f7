package layout

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"aqueduck/load/internal/disk"
)

// hashKeyName is the file of the key of hashed columns.
const hashKeyName = "hash.key"

// HashKeySize is that of a key of HMAC-SHA256.
const HashKeySize = 32

// HashKeyFile holds the key of this warehouse's hashed columns. It is published nowhere, and belongs to a backup.
func (d Dir) HashKeyFile() string { return filepath.Join(d.State(), hashKeyName) }

// ReadHashKey gives the key of hashed columns; nil where there is none.
func (d Dir) ReadHashKey() ([]byte, error) {
	text, err := os.ReadFile(d.HashKeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseHashKey(d.HashKeyFile(), text)
}

// MakeHashKey makes a key of hashed columns, durably. The caller has seen that there is none, and that no stored value was hashed
// with another.
func (d Dir) MakeHashKey() ([]byte, error) {
	key := make([]byte, HashKeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	fresh := d.HashKeyFile() + ".new"
	if err := os.WriteFile(fresh, append(slices.Clone(key), SecretSum(key)...), 0o600); err != nil {
		return nil, err
	}
	if err := disk.SyncFile(fresh); err != nil {
		return nil, err
	}
	return key, disk.Move(d.HashKeyFile(), fresh)
}

// parseHashKey takes the key and its check, which older ones have not.
func parseHashKey(path string, text []byte) ([]byte, error) {
	key := text[:min(HashKeySize, len(text))]
	if len(text) != HashKeySize && string(text[len(key):]) != SecretSum(key) {
		return nil, fmt.Errorf("%s is not a key, or was changed: restore the original file", path)
	}
	return key, nil
}

// placeHashKey puts a key that lies beside a backup into its place, and makes it its owner's alone.
func placeHashKey(d Dir) error {
	beside := filepath.Join(string(d), hashKeyName)
	text, err := os.ReadFile(beside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		there, err := os.ReadFile(d.HashKeyFile())
		if err == nil && !bytes.Equal(there, text) {
			return fmt.Errorf("%s and %s are two keys: remove the one that the warehouse was not hashed with", beside, d.HashKeyFile())
		}
		if _, err := parseHashKey(beside, text); err != nil {
			return err
		}
		// Another run may have put it there a moment ago.
		if err := disk.Move(d.HashKeyFile(), beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Chmod(d.HashKeyFile(), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SecretSum tells a salt, or a key, from one with a bit changed: with another one nothing that was hashed is found again, and
// nobody would notice.
func SecretSum(secret []byte) string {
	sum := sha256.Sum256(secret)
	return hex.EncodeToString(sum[:checkSize])
}

const checkSize = 4
