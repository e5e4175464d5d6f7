package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
)

// partsName is the directory, beside the links of the tables, of the directories that they lead to. Each has the parts of
// one table as of one publish and never changes.
const partsName = ".parts"

// partName is the file name of a part. It belongs to this content alone: a reader that listed the parts before a publish,
// and opens them after it, finds the same part or none. The only part of a table has one name for ever, and is always
// found.
func partName(p Part, only bool) string {
	if only {
		return "all.parquet"
	}
	begin := "first"
	if !p.From.IsZero() {
		begin = "from-" + p.From.UTC().Format("20060102T150405Z")
	}
	return begin + "-" + p.SHA256[:12] + ".parquet"
}

// swapParts shows the new parts to readers, then writes the manifest, which names the parts that belong together. A table
// is a link to a directory with all of its parts, so one rename shows them all (T148).
func (l *lakeWriter) swapParts() error {
	if err := l.openDirs(); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(l.contents))
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Compare(fmt.Sprint(l.contents[a].union), fmt.Sprint(l.contents[b].union))
	})
	links, moved := map[string]string{}, map[string]string{}
	for _, name := range names {
		table := l.contents[name]
		l.manifest.Tables[name] = table.entry
		if table.same {
			continue
		}
		var err error
		if links[name], err = l.gatherParts(name, table, moved); err != nil {
			return fmt.Errorf("gather the parts of %s: %w", name, err)
		}
	}
	if err := disk.SyncDir(filepath.Join(l.dir, partsName)); err != nil {
		return err
	}
	crash.At(crash.LakeGathered)
	for name, target := range links {
		if err := l.swapLink(name, target); err != nil {
			return err
		}
		crash.At(crash.LakePart)
	}
	if err := l.manifest.write(l.dir, l.access); err != nil {
		return err
	}
	crash.At(crash.LakeManifest)
	if err := l.removeOld(); err != nil {
		return err
	}
	return l.writeReadme()
}

// openDirs makes the directories that readers of the warehouse may read.
func (l *lakeWriter) openDirs() error {
	parts := filepath.Join(l.dir, partsName)
	if info, err := os.Lstat(parts); err == nil && !info.IsDir() {
		if err := os.Remove(parts); err != nil {
			return err
		}
	}
	return errors.Join(l.access.MakeDir(l.dir, 0o755), l.access.MakeDir(parts, 0o755))
}

// gatherParts fills a new directory with the parts of a table and returns its name: new parts move there, the others get
// a second name there. moved has the new paths of parts; unions come after their tables.
func (l *lakeWriter) gatherParts(name string, table tableParts, moved map[string]string) (string, error) {
	target := name + "-" + l.file
	for n := 2; disk.Exists(filepath.Join(l.dir, partsName, target)); n++ {
		target = name + "-" + l.file + "-" + strconv.Itoa(n)
	}
	dir := filepath.Join(l.dir, partsName, target)
	if err := l.access.MakeDir(dir, 0o755); err != nil {
		return "", err
	}
	for i, part := range table.entry.Parts {
		from, to := table.paths[i], filepath.Join(dir, filepath.Base(part.File))
		give := l.linkFile
		if at, there := moved[from]; there {
			from = at
		} else if strings.HasPrefix(from, l.temp) {
			moved[from], give = to, func(to, from string) error { return os.Rename(from, to) }
		}
		if err := give(to, from); err != nil {
			return "", err
		}
	}
	return target, disk.SyncDir(dir)
}

// linkFile gives a file a second name; where the filesystem has no such names, it copies the file.
func (l *lakeWriter) linkFile(to, from string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	if err := disk.Clone(to, from); err != nil {
		return err
	}
	return l.access.Share(to, 0o644)
}

// swapLink makes a table lead to a directory of parts, in one step for readers. A directory of an earlier version of this
// program, which had the only part itself, goes first.
func (l *lakeWriter) swapLink(name, target string) error {
	link, fresh := filepath.Join(l.dir, name), filepath.Join(l.dir, partsName, "new-link")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(partsName, target), fresh); err != nil {
		return err
	}
	if info, err := os.Lstat(link); err == nil && info.Mode().Type() != fs.ModeSymlink {
		if err := disk.Move(filepath.Join(l.dir, partsName, "old-"+target), link); err != nil {
			return err
		}
	}
	return disk.Move(link, fresh)
}

// removeOld removes the tables that are no longer in the lake, and the directories that no table leads to.
func (l *lakeWriter) removeOld() error {
	tables, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	for _, e := range tables {
		_, known := l.old.Tables[e.Name()]
		if _, stays := l.manifest.Tables[e.Name()]; !stays && (known || e.Type() == fs.ModeSymlink) {
			if err := os.RemoveAll(filepath.Join(l.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	used := map[string]bool{}
	for name := range l.manifest.Tables {
		if target, err := os.Readlink(filepath.Join(l.dir, name)); err == nil {
			used[filepath.Base(target)] = true
		}
	}
	directories, err := os.ReadDir(filepath.Join(l.dir, partsName))
	if err != nil {
		return err
	}
	for _, e := range directories {
		if !used[e.Name()] {
			if err := os.RemoveAll(filepath.Join(l.dir, partsName, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeReadme writes a page for people who find the directory.
func (l *lakeWriter) writeReadme() error {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s as Parquet\n\nThe tables of warehouse.duckdb, schema %s, for tools that do not read DuckDB files. In DuckDB:\n\n```sql\n",
		l.schema.Name, l.schema.Name)
	for _, name := range slices.Sorted(maps.Keys(l.manifest.Tables)) {
		fmt.Fprintf(&text, "FROM read_parquet('lake/%s/%s/*.parquet');\n", l.schema.Name, name)
	}
	text.WriteString("```\n\nEach table is a link to a directory with all of its parts, and is complete at every moment. A query during which a publish replaces\n" +
		"parts may end with a missing file: run it again. `_manifest.json` lists the parts with sizes and SHA-256 checksums; if the files match\n" +
		"it, all tables show the same moment as the DuckDB file that it names.\n")
	return l.access.ReplaceFile(filepath.Join(l.dir, "README.md"), []byte(text.String()))
}
