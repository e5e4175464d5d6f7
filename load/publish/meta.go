package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// fingerprint is schemaFingerprint, computed once in a publish.
func (p *publishRun) fingerprint(s Schema) string {
	if p.fingerprints[s.Name] == "" {
		p.fingerprints[s.Name] = schemaFingerprint(s)
	}
	return p.fingerprints[s.Name]
}

// schemaFingerprint changes when a definition or a comment does. Tables may come in any order: those of datasets come as a run reads them.
func schemaFingerprint(s Schema) string {
	h := sha256.New()
	for _, t := range slices.SortedFunc(slices.Values(s.Tables), func(a, b transform.Table) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(h, "%q %q %q %q %q %t\n", t.Name, t.View, t.Doc, t.Key, t.Newest, t.Raw)
		for _, c := range t.Columns {
			fmt.Fprintf(h, "%q %q %q %t %t %q\n", c.Name, c.SQL, c.Doc, c.PII, c.Person, c.References)
		}
	}
	fmt.Fprintf(h, "%#v\n", s.Relations)
	return hex.EncodeToString(h.Sum(nil))
}

// replaceMeta stores a fact about the file and returns the one before.
func replaceMeta(ctx context.Context, db *duck.DB, key, value string) (before string, err error) {
	last, err := workdb.ReadFact(ctx, db, key)
	if err != nil || last == value {
		return last, err
	}
	return last, workdb.NoteFact(ctx, db, key, value)
}

// setMetas stores facts about the file with one statement, in the order of their keys.
func setMetas(ctx context.Context, db *duck.DB, facts map[string]string) error {
	var keys, pairs []string
	for _, key := range slices.Sorted(maps.Keys(facts)) {
		keys, pairs = append(keys, duck.Text(key)), append(pairs, "("+duck.Text(key)+", "+duck.Text(facts[key])+")")
	}
	_, err := db.Exec(ctx, "DELETE FROM _sync.meta WHERE key IN ("+strings.Join(keys, ", ")+"); INSERT INTO _sync.meta VALUES "+strings.Join(pairs, ", "))
	return err
}
