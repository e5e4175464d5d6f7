package publish

import (
	"context"

	"aqueduck/load"
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
		if err != nil || !same {
			return false, err
		}
		if !s.NoLake && !isLakeOf(d, schema.Name, d.Current()) {
			return false, nil
		}
	}
	return true, nil
}

func (s Schema) isUnchanged(ctx context.Context, w *load.Work) (bool, error) {
	definition := schemaFingerprint(s)
	want := map[string]string{"definition:" + s.Name: definition}
	if s.Models.Schema != "" {
		version, err := w.Facts.EngineVersion(ctx)
		if err != nil {
			return false, err
		}
		want["models:"+s.Name] = s.Models.modelsFingerprint(definition + version)
	}
	for key, value := range want {
		stored, err := w.Facts.Meta(ctx, key)
		if err != nil || stored != value {
			return false, err
		}
	}
	return true, nil
}
