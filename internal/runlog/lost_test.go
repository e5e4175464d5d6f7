package runlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/problem"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// TestAReaderIsToldAStepThatHelps: a reader finds no published file, or a damaged one, for several reasons.
func TestAReaderIsToldAStepThatHelps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []string // published files, oldest first; damaged ones begin with !
		link  bool
		extra string // another file in the directory
		err   error
		want  string
	}{
		"never published": {err: failure.ErrNothingPublished, want: "error[data] nothing is published yet\n     next: aqueduck sync"},
		"another directory": {extra: "file", err: failure.ErrNothingPublished,
			want: "error[config] wrong directory: DIR is not a warehouse and contains file\n     next: give the directory of a warehouse: --dir DIR"},
		"no link": {files: []string{"a"}, err: failure.ErrNothingPublished,
			want: "error[data] the link DIR/warehouse.duckdb to the published file is missing\n     next: aqueduck sync, which makes it again; nothing is lost"},
		"a copy instead of the link": {files: []string{"a"}, extra: "warehouse.duckdb", err: failure.ErrNothingPublished,
			want: "error[config] DIR/warehouse.duckdb is a file, not the link to the published file\n     next: move this file away, then run aqueduck sync, which makes the link again; nothing is lost"},
		"all files gone": {link: true, err: failure.ErrNothingPublished,
			want: "error[data] runs published to DIR/, and no published file is left\n     next: restore a backup into an empty directory"},
		"an older file is intact": {files: []string{"!0", "1", "!a"}, link: true, err: failure.ErrUnreadable,
			want: "error[data] the published file cannot be read\n     next: aqueduck sync, which goes on from an intact file; until then, open DIR/.aqueduck/published/1.duckdb"},
		"none is intact": {files: []string{"!0", "!a"}, link: true, err: failure.ErrUnreadable,
			want: "error[data] the published file is damaged, and no older file is intact: the published file cannot be read\n     next: restore a backup into an empty directory"},
		"the work database is there": {files: []string{"!a"}, link: true, extra: ".aqueduck/work/work.duckdb", err: failure.ErrUnreadable,
			want: "error[data] the published file cannot be read\n     next: aqueduck sync, which publishes a new one"},
		"the file is intact": {files: []string{"a"}, link: true, err: failure.ErrUnreadable,
			want: "error[data] the published file cannot be read\n     next: aqueduck sync, which publishes a new one"},
		"another error": {err: errors.New("no"), want: "error[bug] no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := layout.Dir(t.TempDir())
			write := func(path, text string) {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if c.extra != "file" {
				if _, err := dir.Make(); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range c.files {
				path := filepath.Join(dir.Published(), strings.TrimPrefix(file, "!")+".duckdb")
				write(path, file)
				sum, err := layout.Sum(path)
				if err != nil {
					t.Fatal(err)
				}
				write(layout.SumFile(path), fmt.Sprintf("%s  %s\n", sum, filepath.Base(path)))
				if file[0] == '!' {
					write(path, "damaged")
				}
			}
			if c.link {
				if err := os.Symlink(filepath.Join(".aqueduck", "published", "a.duckdb"), dir.Link()); err != nil {
					t.Fatal(err)
				}
			}
			if c.extra != "" {
				write(filepath.Join(string(dir), c.extra), "x")
			}
			got := strings.ReplaceAll(problem.AsProblem(ExplainUnreadable(dir, c.err)).Text(), string(dir), "DIR")
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
