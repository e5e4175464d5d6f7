package erase

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

func searchedKey(schema string) string { return "searched " + schema }

// Unsearched reports whether there are tombstones and a table that was not searched for all of them by the rules of its
// stream file today. Such a table had no stream file then, or one that marked fewer columns.
func (w *Erasures) Unsearched(ctx context.Context, schema string) (unsearched bool, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		unsearched, err = w.hasUnsearched(ctx, schema)
		return err
	})
	return unsearched, err
}

func (w *Erasures) hasUnsearched(ctx context.Context, schema string) (bool, error) {
	marked := false
	for p, hashes := range w.tombs.Hashes {
		marked = marked || p.Schema == schema && len(hashes) > 0
	}
	if !marked {
		return false, nil
	}
	var text string
	err := w.db.DB.Scan(ctx, "SELECT value FROM _sync.meta WHERE key = $1", []any{searchedKey(schema)}, &text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("read which tables were searched: %w", err)
	}
	searched := map[string]string{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &searched); err != nil {
			return false, fmt.Errorf("read which tables were searched: %w", err)
		}
	}
	for name, t := range w.db.DescribedTables(schema) {
		if rules := erasureRulesHash(t); rules != "" && searched[name] != rules {
			return true, nil
		}
	}
	return false, nil
}

// saveSearched notes that every table was searched for every tombstone. The caller runs it in the transaction of an
// erasure.
func (w *Erasures) saveSearched(ctx context.Context, schema string) error {
	searched := map[string]string{}
	for name, t := range w.db.DescribedTables(schema) {
		if rules := erasureRulesHash(t); rules != "" {
			searched[name] = rules
		}
	}
	text, err := json.Marshal(searched)
	if err != nil {
		return err
	}
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", searchedKey(schema)); err != nil {
		return err
	}
	_, err = w.db.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", searchedKey(schema), string(text))
	return err
}

// erasureRulesHash changes when the rules change by which a table is searched for persons; "" for a table without rules.
func erasureRulesHash(t transform.Table) string {
	hasRules := t.Erase != ""
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", t.Erase, t.Key)
	for _, c := range slices.Concat(t.Columns, t.Left) {
		hasRules = hasRules || c.PII || c.Person
		fmt.Fprintf(h, "%s %t %t %t %t %q %s\n", c.Name, c.PII, c.Person, c.KeptByErasure, c.Erased, c.Subjects, c.References)
	}
	if !hasRules {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
