package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// hide takes out of what is stored what is hashed or dropped from now on, and says so: rows that were read before the
// configuration asked for it are rebuilt, and with them every file. What is no longer hidden comes as it is read again.
func (r *run) hide(ctx context.Context, w *workspace, streams []*schemas.Stream) error {
	for _, s := range streams {
		if s.Family() {
			continue
		}
		settings := r.config.Settings(s.Name)
		hash, drop := hideable(s, settings.Hash), hideable(s, settings.Drop)
		err := r.writer.use(func(work *load.Work) error {
			stored, noted, err := work.Hidden(ctx, w.name, s.Name)
			if err != nil {
				return err
			}
			names := slices.Concat(marked("hash:", hash), marked("drop:", drop))
			if slices.Equal(names, stored) && (noted || len(names) == 0) {
				return nil
			}
			var added []string
			var places []transform.Hiding
			for _, name := range names {
				if slices.Contains(stored, name) {
					continue
				}
				kind, column, _ := strings.Cut(name, ":")
				found, err := transform.Hidings(s, column, kind == "hash")
				if err != nil {
					return err
				}
				for i := range found {
					found[i].Hashed = !noted
				}
				added, places = append(added, kind+" "+column), append(places, found...)
			}
			if n, err := work.Rows(ctx, w.name, transform.Tables(s)[0].Name); err != nil || n == 0 {
				places = nil
				if err != nil {
					return err
				}
			}
			rows, err := work.Hide(ctx, w.name, s.Name, names, places, r.hashKey)
			if rows > 0 {
				r.note(fmt.Sprintf("%s: %s since this run: what was stored is rebuilt, %s changed, and every file with it", s.Name, strings.Join(added, ", "), many(int(rows), "value")))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	return nil
}

// hideable are the names that a stream has: those of a pattern are not all for each of its streams.
func hideable(s *schemas.Stream, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := transform.Hidings(s, name, false)
		return err != nil
	})
}

func marked(kind string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, kind+name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
