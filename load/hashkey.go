package load

import (
	"bytes"
	"context"
	"crypto/hmac"
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
	"aqueduck/load/internal/duck"
)

// hashKeyName is the file of the key of hashed columns.
const hashKeyName = "hash.key"

// hashKeySize is that of a key of HMAC-SHA256.
const hashKeySize = 32

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
	key := make([]byte, hashKeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	fresh := d.HashKeyFile() + ".new"
	if err := os.WriteFile(fresh, append(slices.Clone(key), check(key)...), 0o600); err != nil {
		return nil, err
	}
	if err := disk.SyncFile(fresh); err != nil {
		return nil, err
	}
	return key, disk.Move(d.HashKeyFile(), fresh)
}

// parseHashKey takes the key and its check, which older ones have not.
func parseHashKey(path string, text []byte) ([]byte, error) {
	key := text[:min(hashKeySize, len(text))]
	if len(text) != hashKeySize && string(text[len(key):]) != check(key) {
		return nil, fmt.Errorf("%s is no key, or was changed: put back the one that was there", path)
	}
	return key, nil
}

// takeHashKey puts a key that lies beside a backup into its place, and makes it its owner's alone.
func (d Dir) takeHashKey() error {
	beside := filepath.Join(string(d), hashKeyName)
	text, err := os.ReadFile(beside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		there, err := os.ReadFile(d.HashKeyFile())
		if err == nil && !bytes.Equal(there, text) {
			return fmt.Errorf("%s and %s are two keys: take away the one that the warehouse was not hashed with", beside, d.HashKeyFile())
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

// HashKeyMark tells keys apart without telling anything of them: it is in the published file.
func HashKeyMark(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("which key stored values were hashed with"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// hashKeyFact is the fact, in _sync.meta, of which key stored values were hashed with.
const hashKeyFact = "hash_key"

// HashedBy gives the mark of the key that stored values were hashed with. Older warehouses only tell that some were: used without a
// mark.
func (w *Work) HashedBy(ctx context.Context) (mark string, used bool, err error) {
	err = w.do("", func(db *duck.DB) error {
		mark, used, err = hashedBy(ctx, db)
		return err
	})
	return mark, used, err
}

// HashedBy is that of Work for a published file.
func (r *Reader) HashedBy(ctx context.Context) (mark string, used bool, err error) {
	return hashedBy(ctx, r.db)
}

func hashedBy(ctx context.Context, db *duck.DB) (mark string, used bool, err error) {
	err = db.Scan(ctx, `SELECT coalesce(max(value) FILTER (key = $1), ''), count(*) FILTER (key = $1 OR key LIKE 'hidden %' AND regexp_matches(value, '(^|\n)hash:')) > 0
		FROM _sync.meta`, []any{hashKeyFact}, &mark, &used)
	if err != nil {
		return "", false, fmt.Errorf("read which key values were hashed with: %w", err)
	}
	return mark, used, nil
}

// NoteHashKey notes which key values are hashed with from now on.
func (w *Work) NoteHashKey(ctx context.Context, key []byte) error {
	return w.do("note which key values are hashed with", func(db *duck.DB) error {
		return db.Transaction(ctx, func() error { return w.saveNames(ctx, hashKeyFact, []string{HashKeyMark(key)}) })
	})
}
