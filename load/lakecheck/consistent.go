package lakecheck

import (
	"context"
	"path/filepath"
	"slices"

	"aqueduck/load/internal/disk"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/load/read"
)

// Consistent reports whether the link leads to a published file that opens, and every schema in it has a manifest with
// this file's name and parts as it lists them. Where it is false, a publish repairs that.
func Consistent(ctx context.Context, d layout.Dir) (bool, error) {
	file := d.Current()
	if file == "" || !disk.Exists(file) {
		return false, nil
	}
	var names []string
	err := read.Query(ctx, file, "SELECT DISTINCT schema FROM _sync.tables", func(_ []string, row []any) error {
		if row != nil {
			names = append(names, row[0].(string))
		}
		return nil
	})
	if err != nil {
		return false, ctx.Err() // a file that does not open is published again
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		m, err := publish.LoadManifest(d.Lake(name))
		return err != nil || m.File != filepath.Base(file) || !m.InPlace(d.Lake(name))
	}), nil
}
