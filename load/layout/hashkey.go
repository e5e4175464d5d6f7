package layout

import (
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

// hashKeyName is the name of the file with the hash key.
const hashKeyName = "hash.key"

// HashKeySize is the size in bytes of the hash key, for HMAC-SHA256.
const HashKeySize = 32

// HashKeyFile is the key of this warehouse's hashed columns. It is never published. A backup needs it.
func (d Dir) HashKeyFile() string { return filepath.Join(d.State(), hashKeyName) }

// ReadHashKey gives the hash key; nil where placed is none. It refuses a key with a changed bit.
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

// MakeHashKey makes a hash key, durably. The caller has checked that placed is none and that no stored value was hashed
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

// parseHashKey checks the key by its checksum, which older files do not have.
func parseHashKey(path string, text []byte) ([]byte, error) {
	key := text[:min(HashKeySize, len(text))]
	if len(text) != HashKeySize && string(text[len(key):]) != SecretSum(key) {
		return nil, fmt.Errorf("%s is not a key, or was changed", path)
	}
	return key, nil
}

// placeHashKey moves a hash key that lies beside a backup into its place.
func placeHashKey(d Dir) error {
	return placeBeside(d, hashKeyName, "two keys: remove the one that the warehouse was not hashed with", func(path string, text []byte) error {
		_, err := parseHashKey(path, text)
		return err
	})
}

// SecretSum is a checksum of a salt or key. With a changed bit nothing that was hashed would be found again, and nobody
// would notice.
func SecretSum(secret []byte) string {
	sum := sha256.Sum256(secret)
	return hex.EncodeToString(sum[:checkSize])
}

const checkSize = 4
