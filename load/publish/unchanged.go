package publish

import (
	"context"
	"time"

	"aqueduck/load"
	"aqueduck/load/internal/disk"
	"aqueduck/load/layout"
)

// isUnchanged reports whether a publish would give readers the file that they have: no row was written, the definitions
// are those of the published file, all models are in it, and the Parquet files are in place.
func (s Spec) isUnchanged(ctx context.Context, d layout.Dir, w *load.Work) (bool, error) {
	if !w.InPlace() || s.Rebuild || d.Erasing() {
		return false, nil
	}
	for _, schema := range s.Schemas {
		same, err := schema.isUnchanged(ctx, w)
		if err != nil || !same || !s.hasLake(d, schema.Name) {
			return false, err
		}
	}
	return true, nil
}

// hasLake reports whether the Parquet files of a schema are in place: those of the published file, or older ones that are
// not due yet.
func (s Spec) hasLake(d layout.Dir, schema string) bool {
	switch {
	case s.DropLake:
		return !disk.Exists(d.Lake(schema))
	case s.NoLake || isLakeOf(d, schema, d.Current()):
		return true
	}
	m := readManifest(d.Lake(schema))
	return !s.isLakeDue(m, s.Now()) && m.InPlace(d.Lake(schema))
}

// isLakeDue reports whether the Parquet files with a manifest are to follow a publish. A run may begin a little earlier
// than the one before: a tenth of the time does not count. Files of a later time were written by a clock that was wrong (T206).
func (s Spec) isLakeDue(m Manifest, now time.Time) bool {
	age := now.Sub(m.PublishedAt)
	return s.LakeEvery <= 0 || m.Format != ManifestFormat || age < 0 || age >= s.LakeEvery*9/10
}

func (s Schema) isUnchanged(ctx context.Context, w *load.Work) (bool, error) {
	definition := schemaFingerprint(s)
	want := map[string]string{"definition:" + s.Name: definition}
	version, err := w.Facts.EngineVersion(ctx)
	if err != nil {
		return false, err
	}
	for _, models := range []Models{s.Models, s.Compat} {
		want["models:"+models.Schema] = models.modelsFingerprint(definition + version)
	}
	for key, value := range want {
		stored, err := w.Facts.Meta(ctx, key)
		if err != nil || stored != value {
			return false, err
		}
	}
	return true, nil
}
