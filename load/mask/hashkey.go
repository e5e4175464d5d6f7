package mask

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// hashKeyFact is the key in _sync.meta of the fingerprint of the hash key.
const hashKeyFact = "hash_key"

// HashedBy gives the fingerprint of the key that stored values were hashed with. Older warehouses only say that values were hashed:
// used is true, and mark is "".
func (w *Masks) HashedBy(ctx context.Context) (mark string, used bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		mark, used, err = hashedBy(ctx, db)
		return err
	})
	return mark, used, err
}

// HashedBy is Masks.HashedBy for a published file.
func HashedBy(ctx context.Context, r *read.Reader) (mark string, used bool, err error) {
	return hashedBy(ctx, r.DB)
}

func hashedBy(ctx context.Context, db *duck.DB) (mark string, used bool, err error) {
	err = db.Scan(ctx, `SELECT coalesce(max(value) FILTER (key = $1), ''), count(*) FILTER (key = $1 OR key LIKE 'hidden %' AND regexp_matches(value, '(^|\n)hash:')) > 0
		FROM _sync.meta`, []any{hashKeyFact}, &mark, &used)
	if err != nil {
		return "", false, fmt.Errorf("read the key of hashed values: %w", err)
	}
	return mark, used, nil
}

// NoteHashKey records which key values are hashed with from now on.
func (w *Masks) NoteHashKey(ctx context.Context, key []byte) error {
	return w.db.Do("record the key of hashed values", func(db *duck.DB) error {
		return db.Transaction(ctx, func() error { return w.db.SaveNames(ctx, hashKeyFact, []string{HashKeyMark(key)}) })
	})
}

// HashKeyMark is a fingerprint of a hash key. It reveals nothing about the key: the published file has it.
func HashKeyMark(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("the key of stored hashes"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
