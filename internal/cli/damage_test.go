package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/load/publish"
)

// kinds has the kinds of files of a warehouse: the first matching pattern counts.
var kinds = []struct{ kind, pattern string }{
	{"link", "warehouse.duckdb"}, {"published file", ".aqueduck/published/*.duckdb"}, {"checksum", ".aqueduck/published/*.sha256"},
	{"manifest", "lake/*/_manifest.json"}, {"page of the lake", "lake/*/README.md"}, {"part", "lake/*/.parts/*/*.parquet"}, {"table of the lake", "lake/*/*"},
	{"erasures", "erasures.log"}, {"lock", ".aqueduck/lock"}, {"mark", ".aqueduck/format"}, {"run record", ".aqueduck/run.json"},
	{"work database", ".aqueduck/work/work.duckdb"}, {"log", ".aqueduck/work/work.duckdb.wal"}, {"bookkeeping", ".aqueduck/bookkeeping-*.duckdb"}, {"rejects", ".aqueduck/rejects/*"},
	{"key", ".aqueduck/hash.key"}, {"past runs", ".aqueduck/ended.jsonl"}, {"trace", ".aqueduck/runs/*.json"}, {"log of a run", ".aqueduck/runs/*.log"}, {"what was told", ".aqueduck/alerts.json"},
}

// kindsOf returns the files of a warehouse by kind.
func (p *warehouseCopy) kindsOf() map[string][]string {
	p.t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(string(p.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(string(p.dir), path)
		if err != nil {
			return err
		}
		for _, k := range kinds {
			if ok, err := filepath.Match(k.pattern, rel); ok || err != nil {
				found[k.kind] = append(found[k.kind], path)
				return err
			}
		}
		p.t.Errorf("%s is of no kind", rel)
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// damages are the ways to damage a file; they return false if one is not possible.
var damages = []struct {
	what string
	do   func(r *rand.Rand, text []byte) []byte
}{
	{"a bit flipped", func(r *rand.Rand, text []byte) []byte {
		text[r.IntN(len(text))] ^= 1 << r.IntN(8)
		return text
	}},
	{"cut", func(r *rand.Rand, text []byte) []byte { return text[:r.IntN(len(text))] }},
	{"zeros", func(r *rand.Rand, text []byte) []byte {
		at := r.IntN(len(text))
		clear(text[at:min(len(text), at+1+r.IntN(4096))])
		return text
	}},
	{"an older one", nil},
}

// damageEachFile damages one file of a warehouse after another. A run repairs the damage, or names the file and changes nothing: when the
// file is put back, the next run succeeds.
func damageEachFile(t *testing.T, y *frozenSite) {
	ends := map[string]int{}
	eachTrial(t, lane.New(t, "damaged files", 4), func(t *testing.T, r *rand.Rand) {
		p := y.copyWarehouse(t, []string{later, killed, nothing}[r.IntN(3)])
		of := p.kindsOf()
		names := slices.Sorted(maps.Keys(of))
		kind := names[r.IntN(len(names))]
		path := of[kind][r.IntN(len(of[kind]))]
		restore, what := p.damageFile(r, path)
		t.Logf("%s %s: %s", kind, strings.TrimPrefix(path, string(p.dir)), what)
		e := p.syncOnce()
		switch {
		case e.succeeded():
			ends["made good"]++
			p.requireOracleData()
			p.requireLakeParts()
		default:
			ends[kind+" refused"]++
			requireRefusal(t, e, p.dir.State(), path)
			restore()
		}
		p.requireRecovery()
	})
	t.Logf("%v", ends)
}

// requireRefusal fails the test unless the run's error names the file, the damage and the next step, and is no bug of the program.
func requireRefusal(t *testing.T, e endedRun, state, path string) {
	t.Helper()
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".duckdb"), ".sha256")
	if path == filepath.Join(state, "format") {
		name = "is not a warehouse" // which is all that its absence tells
	}
	if !strings.Contains(e.said, name) && !strings.Contains(e.said, path) || !strings.Contains(e.said, "next: ") || e.status.ExitStatus() == 70 {
		t.Errorf("the run does not say what is wrong, or not what to do: %v", e)
	}
}

// damageFile damages a file and returns a function that restores it.
func (p *warehouseCopy) damageFile(r *rand.Rand, path string) (restore func(), what string) {
	p.t.Helper()
	must := func(err error) {
		p.t.Helper()
		if err != nil {
			p.t.Fatal(err)
		}
	}
	kept := path + ".kept"
	must(os.Rename(path, kept))
	p.copyDirectory(path, kept)
	info, err := os.Lstat(path)
	must(err)
	var text []byte
	if info.Mode().IsRegular() {
		text, err = os.ReadFile(path)
		must(err)
	}
	aside := string(p.dir) + ".kept"
	must(os.Rename(kept, aside))
	p.t.Cleanup(func() { _ = os.Remove(aside) })
	restore = func() {
		p.t.Helper()
		must(os.RemoveAll(path))
		must(os.Rename(aside, path))
	}
	must(os.Remove(path))
	d := damages[r.IntN(len(damages))]
	if info.Mode()&fs.ModeSymlink != 0 {
		return restore, p.retargetLink(r, path)
	}
	if r.IntN(8) == 0 {
		return restore, "gone"
	}
	if d.do == nil {
		text = p.olderContent(path)
	} else if len(text) > 0 {
		text = d.do(r, text)
	}
	must(os.WriteFile(path, text, info.Mode().Perm()))
	must(os.Chtimes(path, info.ModTime(), info.ModTime()))
	return restore, d.what
}

// olderContent returns an earlier content of a file: from the oldest known warehouse, or, for a unique name, that of another file.
func (p *warehouseCopy) olderContent(path string) []byte {
	p.t.Helper()
	rel, err := filepath.Rel(string(p.dir), path)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(p.historyDir(first), rel))
	if errors.Is(err, fs.ErrNotExist) {
		others, globErr := filepath.Glob(filepath.Join(p.historyDir(first), filepath.Dir(rel), "*"+filepath.Ext(rel)))
		if len(others) == 0 || globErr != nil {
			return nil // once there was none
		}
		text, err = os.ReadFile(others[0])
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// retargetLink creates the removed link again with another target.
func (p *warehouseCopy) retargetLink(r *rand.Rand, path string) string {
	p.t.Helper()
	files, err := p.dir.PublishedFiles()
	if err != nil {
		p.t.Fatal(err)
	}
	var to string
	switch r.IntN(3) {
	case 0:
		return "gone"
	case 1:
		to = filepath.Join(".aqueduck", "published", "no-such-file.duckdb")
	default:
		to = filepath.Join(".aqueduck", "published", filepath.Base(files[r.IntN(len(files))]))
	}
	if err := os.Symlink(to, path); err != nil {
		p.t.Fatal(err)
	}
	return "leads to " + to
}

// requireLakeParts fails the test unless every part of the lake is the one in its manifest.
func (p *warehouseCopy) requireLakeParts() {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir.Lake("main"), "_manifest.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	var m publish.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		p.t.Fatal(err)
	}
	for name, table := range m.Tables {
		for _, part := range table.Parts {
			text, err := os.ReadFile(filepath.Join(p.dir.Lake("main"), part.File))
			sum := sha256.Sum256(text)
			if err != nil || hex.EncodeToString(sum[:]) != part.SHA256 {
				p.t.Errorf("the part of %s is not the one that was written: %v", name, err)
			}
		}
	}
}

// rolledBack restores files of a warehouse as they were three runs ago: some of them beside newer ones, and all of them.
func rolledBack(t *testing.T, y *frozenSite, histories []string) {
	for _, part := range []string{"lake", ".aqueduck", ".aqueduck/published", "erasures.log", "."} {
		for _, history := range histories {
			t.Run(part+" "+history, func(t *testing.T) {
				p := y.copyWarehouse(t, history)
				to, from := filepath.Join(string(p.dir), part), filepath.Join(y.historyDir(first), part)
				if err := os.RemoveAll(to); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(from); err == nil {
					y.copyDirectory(to, from)
				}
				if e := p.syncOnce(); !e.succeeded() {
					t.Fatal(e)
				}
				p.requireOracleData()
				p.requireLakeParts()
				p.requireTidyCopy()
			})
		}
	}
}
