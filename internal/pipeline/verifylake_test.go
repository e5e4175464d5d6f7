package pipeline_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
	"aqueduck/load/failure"
)

// TestVerifyFindsDamagedParquetFiles changes a part, takes one away, and puts one of an earlier publish in its place. Each time verify names the file,
// class and next step, and exits with 6. The next step repairs the lake, although no row has changed.
func TestVerifyFindsDamagedParquetFiles(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	c := tinyConfig(451)
	c.Knobs = emulator.Knobs{NoLag: true}
	b := newBed(t, c).publishingLake()
	b.syncOnce(runner.Options{})
	part := filepath.Join(b.runner.Dir.Lake("main"), "contacts", "all.parquet")
	earlier, err := os.ReadFile(part)
	b.failOn(err)
	b.failOn(b.space.TagContact(b.space.ContactIDs("active")[0], 1))
	newLife(b, 451).applyEvents(20)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	v := b.verifyPublished(verify.VerifyOptions{})
	if v.Exit() != problem.ExitOK || len(v.Lakes) != 1 || !v.Lakes[0].Whole || v.Lakes[0].Parts < 5 || !strings.Contains(verificationText(v), "the Parquet files of main are as they were published: ") {
		t.Fatalf("before any damage: %+v\n%s", v.Lakes, verificationText(v))
	}
	content, err := os.ReadFile(part)
	b.failOn(err)
	changed := slices.Clone(content)
	changed[len(changed)/2] ^= 1
	for what, text := range map[string][]byte{"changed": changed, "missing": nil, "of an earlier publish": earlier} {
		info, err := os.Stat(part)
		b.failOn(err)
		b.failOn(os.Remove(part))
		if text != nil {
			b.failOn(os.WriteFile(part, text, 0o644))
			b.failOn(os.Chtimes(part, info.ModTime(), info.ModTime()))
		}
		v := b.verifyPublished(verify.VerifyOptions{})
		kind := map[bool]string{true: "missing", false: "changed"}[text == nil]
		if len(v.Findings) != 1 || v.Exit() != problem.ExitBreached {
			t.Fatalf("%s: exit %d\n%s", what, v.Exit(), verificationText(v))
		}
		f := v.Findings[0]
		if f.Kind != kind || f.Table != "contacts" || f.Key != "lake/main/contacts/all.parquet" || f.Class != "data" || !strings.Contains(f.Next, "_manifest.json, then run aqueduck sync") {
			t.Errorf("%s: %+v", what, f)
		}
		if text := verificationText(v); !strings.Contains(text, "error[data] the Parquet files of main are not as they were published: 1 finding") {
			t.Errorf("%s:\n%s", what, text)
		}
		b.failOn(os.Remove(filepath.Join(b.runner.Dir.Lake("main"), "_manifest.json")))
		b.syncOnce(runner.Options{})
		if v := b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK {
			t.Errorf("%s, after the next step:\n%s", what, verificationText(v))
		}
	}
}

// TestVerifyComparesThePublishedFileWithItsChecksum: a changed byte may be in a block that no query of the verification reads.
func TestVerifyComparesThePublishedFileWithItsChecksum(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(452))
	b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}})
	file := b.runner.Dir.Current()
	b.failOn(os.Chmod(file, 0o644))
	content, err := os.ReadFile(file)
	b.failOn(err)
	content[len(content)-3000] ^= 1
	b.failOn(os.WriteFile(file, content, 0o644))
	_, err = verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{}, func(string) {})
	if !errors.Is(err, failure.ErrUnreadable) || !strings.Contains(err.Error(), "was changed after it was published") {
		t.Errorf("got %v", err)
	}
}

// TestT178VerifyFindsOpenStatesOfAHistoryThatIsNoLongerKept removes history: true. The run ends all states; one that is open all the same is found, and
// the next run ends it.
func TestT178VerifyFindsOpenStatesOfAHistoryThatIsNoLongerKept(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(452), nightly+"streams:\n  contacts: {history: true}\n")
	b.syncOnce(runner.Options{})
	b.writeConfig(nightly)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if v := b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK {
		t.Fatalf("before: %s", verificationText(v))
	}
	id := b.queryRows("SELECT min(id) FROM contacts_history")[0]
	b.plantRows("UPDATE contacts_history SET valid_to = NULL WHERE id = '" + id + "'")
	v := b.verifyPublished(verify.VerifyOptions{})
	if got := listDifferences(v); len(got) != 1 || got[0] != "contacts_history open "+id+" " || v.Exit() != problem.ExitBreached || v.Findings[0].Next != "end such states: aqueduck sync" {
		t.Errorf("exit %d, found %q\n%s", v.Exit(), got, verificationText(v))
	}
	b.goOnFromPlanted()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if v := b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK {
		t.Errorf("after: %s", verificationText(v))
	}
}

// TestT175VerifyFindsRowsHashedWithAnotherKey continues a warehouse that does not identify its key, with another key: old rows and new rows then have
// hashes of two keys. Verify finds each row with a hash of the earlier key, and no other; a full refresh makes them alike.
func TestT175VerifyFindsRowsHashedWithAnotherKey(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(453), hashing)
	b.syncOnce(runner.Options{})
	before := b.queryRows("SELECT id, email FROM contacts WHERE email IS NOT NULL ORDER BY id")
	b.plantRows("DELETE FROM _sync.meta WHERE key = 'hash_key'") // as an older version left it
	b.goOnFromPlanted()
	b.failOn(os.WriteFile(b.runner.Dir.HashKeyFile(), slices.Repeat([]byte{7}, 32), 0o600))
	b.space.Advance(100 * time.Hour)
	for _, id := range b.space.ContactIDs("active")[:5] {
		b.failOn(b.space.TagContact(id, 2))
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{Select: []string{"contacts"}})
	after := b.queryRows("SELECT id, email FROM contacts WHERE email IS NOT NULL ORDER BY id")
	var want []string
	for _, row := range after {
		if slices.Contains(before, row) {
			id, _, _ := strings.Cut(row, "|")
			want = append(want, "contacts_raw stale "+id+" email")
		}
	}
	if len(want) < 10 || len(want) > len(after)-2 {
		t.Fatalf("%d of %d rows have a hash of the earlier key: the test says nothing", len(want), len(after))
	}
	v := b.verifyPublished(verify.VerifyOptions{Deep: true, Select: []string{"contacts"}})
	slices.Sort(want)
	if got := listDifferences(v); v.Exit() != problem.ExitBreached || !slices.Equal(got, want) {
		t.Errorf("exit %d, found\n%s\nwant\n%s", v.Exit(), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.syncOnce(runner.Options{FullRefresh: true, AcceptHashKey: true})
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("after a full refresh:\n%s", verificationText(v))
	}
}
