//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/problem"
	"aqueduck/load/differ"
)

// errOvertaken says that a table is not as it was when a commit was prepared.
var errOvertaken = errors.New("the table was changed meanwhile")

// settings are the properties that every table has, and keeps.
var settings = iceberg.Properties{
	table.WriteDeleteModeKey:                          table.WriteModeMergeOnRead,
	"write.update.mode":                               table.WriteModeMergeOnRead,
	"write.merge.mode":                                table.WriteModeMergeOnRead,
	table.DefaultWriteMetricsModeKey:                  "counts", // smallest and largest values of texts would be data of persons in one more place
	table.MetadataCompressionKey:                      table.MetadataCompressionCodecGzip,
	table.MetadataDeleteAfterCommitEnabledKey:         "true",
	table.MetadataPreviousVersionsMaxKey:              "20",
	table.ParquetCompressionKey:                       "zstd",
	table.WriteTargetFileSizeBytesKey:                 "134217728",
	table.ParquetRowGroupLimitKey:                     "131072",
	table.MetricsModeColumnConfPrefix + "._synced_at": "full",
	table.MetricsModeColumnConfPrefix + ".created_at": "full",
	table.MetricsModeColumnConfPrefix + ".updated_at": "full",
}

// createTable makes an empty table. Objects that a table of this name left there are not read by it.
func (m *mirror) createTable(ctx context.Context, name table.Identifier, schema *iceberg.Schema, doc string) (*table.Table, error) {
	properties := maps.Clone(settings)
	for key := range settings { // a setting of a column that is not there is an error of some engines
		if column, ok := strings.CutPrefix(key, table.MetricsModeColumnConfPrefix+"."); ok {
			if _, there := schema.FindFieldByName(column); !there {
				delete(properties, key)
			}
		}
	}
	properties[propertyWarehouse] = m.warehouse
	properties[table.PropertyFormatVersion] = "2"
	if doc != "" {
		properties["comment"] = doc
	}
	return m.catalog.CreateTable(ctx, name, schema, catalog.WithLocation(m.location+"/"+name[len(name)-1]), catalog.WithProperties(properties))
}

// checkShape refuses a table that another program made unfit: what is committed there would be wrong for its readers.
func checkShape(t *table.Table) error {
	name := t.Identifier()[len(t.Identifier())-1]
	refuse := func(what string) error {
		return &problem.Problem{Class: "config", What: fmt.Sprintf("table %s of %s %s", name, t.Identifier()[0], what), Next: "undo that, or drop the table: the next mirror makes it again"}
	}
	for _, key := range []string{table.WriteDeleteModeKey, "write.update.mode", "write.merge.mode"} {
		if is := t.Properties()[key]; is != table.WriteModeMergeOnRead {
			return refuse(fmt.Sprintf("has the property %s = %q, and only %q is right here", key, is, table.WriteModeMergeOnRead))
		}
	}
	if t.Metadata().Version() != 2 {
		return refuse(fmt.Sprintf("has format version %d, and this program writes 2", t.Metadata().Version()))
	}
	if spec := t.Spec(); !spec.IsUnpartitioned() {
		return refuse("has partitions")
	}
	return nil
}

// ourSummary finds what a mirror noted in the snapshot that the rows of a table come from. Later snapshots that only write the same rows in other files do
// not count. ok is false if another program changed rows.
func ourSummary(t *table.Table, s *table.Snapshot) (noted iceberg.Properties, ok bool) {
	for s != nil && s.Summary != nil {
		if s.Summary.Properties[propertyClaim] != "" {
			return s.Summary.Properties, true
		}
		if s.Summary.Operation != table.OpReplace {
			return nil, false
		}
		if s.ParentSnapshotID == nil {
			return nil, false
		}
		if s = t.SnapshotByID(*s.ParentSnapshotID); s == nil { // expired; the properties were committed together with it
			return iceberg.Properties{}, t.Properties()[propertyClaim] != ""
		}
	}
	return nil, false
}

// maxCommits is how often a commit is tried whose answer was lost, or that the catalog refused for no lasting reason.
const maxCommits = 3

// commit makes a change of a table durable in one transaction. noted stands in the snapshot and in the properties of the table. The change is made
// again only if the table is as before; the error is errOvertaken if it is not.
func (m *mirror) commit(ctx context.Context, t *table.Table, noted iceberg.Properties, change func(tx *table.Transaction, summary iceberg.Properties) error) (*table.Table, error) {
	noted = maps.Clone(noted)
	maps.Copy(noted, iceberg.Properties{propertyFile: m.report.File, propertyEpoch: m.epoch(), propertyClaim: m.claim, propertyWarehouse: m.warehouse})
	var failed error
	for range maxCommits {
		tx := t.NewTransaction()
		err := tx.AssertRefSnapshotID(table.MainBranch)
		if err == nil {
			err = tx.SetProperties(noted)
		}
		if err == nil {
			err = change(tx, maps.Clone(noted))
		}
		if err != nil {
			return nil, err
		}
		done, err := tx.Commit(ctx)
		if err == nil {
			return done, nil
		}
		failed = err
		now, err := m.catalog.load(ctx, t.Identifier())
		if err != nil {
			return nil, errors.Join(failed, err)
		}
		switch {
		case now == nil:
			return nil, fmt.Errorf("%w: it was dropped", errOvertaken)
		case landed(now, t, noted):
			return now, nil
		case snapshotOf(now) != snapshotOf(t):
			return nil, errOvertaken
		}
		t = now
	}
	return nil, failed
}

// landed reports whether the snapshot after that of before is the one that this mirror meant to commit.
func landed(now, before *table.Table, noted iceberg.Properties) bool {
	s := now.CurrentSnapshot()
	if s == nil || s.Summary == nil || s.ParentSnapshotID == nil && snapshotOf(before) != 0 || s.ParentSnapshotID != nil && *s.ParentSnapshotID != snapshotOf(before) {
		return false
	}
	for key, value := range noted {
		if s.Summary.Properties[key] != value {
			return false
		}
	}
	return true
}

// snapshotOf is the number of a table's snapshot; 0 if it has none.
func snapshotOf(t *table.Table) int64 {
	if s := t.CurrentSnapshot(); s != nil {
		return s.SnapshotID
	}
	return 0
}

const (
	mostSnapshots = 20                 // after more, older ones are removed
	keepSnapshots = 5                  // stay, whatever their age
	keepAge       = 5 * 24 * time.Hour // younger ones stay
)

// expire removes older snapshots and what only they refer to; all of them after an erasure. Without an erasure an error is a note: the next commit tries again.
func (m *mirror) expire(ctx context.Context, t *table.Table, erase bool) error {
	if !erase && len(t.Metadata().Snapshots()) <= mostSnapshots {
		return nil
	}
	keep, age := keepSnapshots, keepAge
	switch {
	case erase:
		keep, age = 1, 0
	case t.Identifier()[1] == controlName: // nobody reads it as of an earlier time, and each of its commits writes the list of its snapshots
		age = 0
	}
	tx, after := t.NewTransaction(), t
	err := tx.ExpireSnapshots(table.WithRetainLast(keep), table.WithOlderThan(age), table.WithPostCommit(!erase)) // what an erasure deletes is listed first
	if err == nil {
		after, err = tx.Commit(ctx)
	}
	if err == nil && erase {
		err = m.removeUnused(ctx, after, time.Time{})
	}
	if err != nil && !erase {
		m.note("older snapshots of table %s stay: %v", t.Identifier()[1], err)
		return nil
	}
	return err
}

// removeUnused deletes the objects of a table that no snapshot refers to, those from before a time; the zero time is none.
func (m *mirror) removeUnused(ctx context.Context, t *table.Table, before time.Time) error {
	used := []string{t.MetadataLocation()}
	for entry := range t.Metadata().PreviousFiles() {
		used = append(used, entry.MetadataFile)
	}
	for _, s := range t.Metadata().Snapshots() {
		used = append(used, s.ManifestList)
		manifests, err := s.Manifests(m.objects)
		if err != nil {
			return err
		}
		for _, manifest := range manifests {
			used = append(used, manifest.FilePath())
			for entry, err := range manifest.Entries(m.objects, true) {
				if err != nil {
					return err
				}
				used = append(used, entry.DataFile().FilePath())
			}
		}
	}
	addresses, err := m.objects.list(t.Location(), before)
	if err != nil {
		return err
	}
	return m.deleteObjects(slices.DeleteFunc(addresses, func(address string) bool { return slices.Contains(used, address) }))
}

// contentOf is what a table notes of its rows.
func contentOf(c differ.Content) iceberg.Properties {
	return iceberg.Properties{propertyContent: c.Summary()}
}
