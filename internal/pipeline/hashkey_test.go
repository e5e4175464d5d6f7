package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/verify"
	"aqueduck/load/layout"
)

const hashing = nightly + "streams:\n  contacts: {hash: [email]}\n  deleted_contacts: {hash: [email]}\n"

// restoreFiles makes a directory with the named files of a backup, and the configuration that reads into it.
func (b *testBed) restoreFiles(files map[string][]byte) layout.Dir {
	b.t.Helper()
	dir := filepath.Join(b.t.TempDir(), "restored")
	for name, text := range files {
		b.failOn(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		b.failOn(os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	b.writeConfig(strings.Replace(b.readConfig(), "{dir: data}", "{dir: "+dir+"}", 1))
	return layout.Dir(dir)
}

// keyRefused returns the error of a run that is refused for its key.
func (b *testBed) keyRefused(words string) {
	b.t.Helper()
	_, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	var p *problem.Problem
	if !errors.As(err, &p) || p.Class != "config" || !strings.Contains(p.Error(), words) || !strings.Contains(p.Next, "restore the hash.key") || !strings.Contains(p.Next, "--accept-hash-key") {
		b.t.Errorf("the run: %v", err)
	}
	if _, err := verify.Verify(b.t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Requests: 20}, func(string) {}); !errors.As(err, &p) ||
		p.Class != "config" || !strings.Contains(p.Error(), words) {
		b.t.Errorf("verify: %v", err)
	}
}

// TestT175NoSecondHashKeyIsMadeSilently restores a backup without its key, with the key of another warehouse, and with its own, in both places
// where a key may be. Only with its own key the run continues, and an address has its old hash. A warehouse of an older version does not identify
// its key, but shows that it hashed.
func TestT175NoSecondHashKeyIsMadeSilently(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(431), hashing)
	b.syncOnce(runner.Options{})
	key, err := os.ReadFile(b.runner.Dir.HashKeyFile())
	b.failOn(err)
	file := b.copyPublished()
	hashes := b.queryRows("SELECT id, email FROM contacts ORDER BY id")
	if found := b.filesContaining(b.runner.Dir.Published(), string(key[:32])); len(found) > 0 || bytes.Contains(file, key[:32]) {
		t.Error("the key is in the published file")
	}
	config := b.readConfig()
	put := func(files map[string][]byte) layout.Dir {
		b.writeConfig(config)
		files["warehouse.duckdb"] = file
		return b.restoreFiles(files)
	}

	dir := put(map[string][]byte{})
	b.keyRefused("is missing")
	if _, err := os.Stat(dir.HashKeyFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a key was made: %v", err)
	}
	b.failOn(os.WriteFile(filepath.Join(string(dir), "hash.key"), key, 0o644)) // as the refusal's next step says
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{FullRefresh: true})
	if got := b.queryRows("SELECT id, email FROM contacts ORDER BY id"); !slices.Equal(got, hashes) {
		t.Error(firstOther(got, hashes))
	}
	if info, err := os.Stat(dir.HashKeyFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key in its place: %v %v", info, err)
	}

	put(map[string][]byte{".aqueduck/hash.key": key})
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT id, email FROM contacts ORDER BY id"); !slices.Equal(got, hashes) {
		t.Error(firstOther(got, hashes))
	}
	b.plantRows("DELETE FROM _sync.meta WHERE key = 'hash_key'")
	file = b.copyPublished()
	put(map[string][]byte{})
	b.keyRefused("is missing")
	put(map[string][]byte{"hash.key": slices.Repeat([]byte{7}, 32)})
	b.syncOnce(runner.Options{}) // a warehouse of an older version does not identify its key
	b.failOn(os.WriteFile(b.runner.Dir.HashKeyFile(), key, 0o600))
	b.keyRefused("is not the key")
	if plan := b.planText(); !strings.Contains(plan, "is not the key of the stored hashes") {
		t.Errorf("the plan says\n%s", plan)
	}
	b.writeConfig(strings.Replace(b.readConfig(), "hash: [email]", "drop: [email]", 2))
	b.syncOnce(runner.Options{}) // no column is hashed any more, so no key is needed
}

// TestDamagedHashKeyIsToldByEveryCommand damages the key: a run, a plan, a verification and the check say the same, with the same next step.
func TestDamagedHashKeyIsToldByEveryCommand(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(431), hashing)
	b.syncOnce(runner.Options{Select: []string{"contacts"}})
	b.failOn(os.WriteFile(b.runner.Dir.HashKeyFile(), []byte("x"), 0o600))
	first := b.runner.Config.Pipelines[0]
	_, run := sync.Sync(t.Context(), b.runner, first, runner.Options{})
	_, planned := plan.Make(t.Context(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskNone)
	_, verified := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Requests: 20}, func(string) {})
	next := "restore the file from a backup; without a backup, remove the file, then hash again what the source still has, with a new key: aqueduck sync --full-refresh --accept-hash-key"
	for command, err := range map[string]error{"sync": run, "plan": planned, "verify": verified} {
		var p *problem.Problem
		if !errors.As(err, &p) || p.Class != "config" || !strings.Contains(p.Error(), "is not a key, or was changed") || !strings.HasPrefix(p.Next, next) {
			t.Errorf("%s: %v", command, err)
		}
	}
	if doubts, _ := plan.FindDoubts(t.Context(), b.runner.Config, b.runner.Catalogue, b.runner); !slices.ContainsFunc(doubts, func(d string) bool {
		return strings.Contains(d, "is not a key, or was changed") && strings.Contains(d, next)
	}) {
		t.Errorf("check: %q", doubts)
	}
}

// TestT175AnotherHashKeyNeedsConsent continues without the lost key: a full refresh with --accept-hash-key makes a new key and hashes everything
// again that the source still has. Notes list what has not been read again yet.
func TestT175AnotherHashKeyNeedsConsent(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(432), hashing)
	b.syncOnce(runner.Options{})
	hashed := func() (contacts, deleted []string) {
		return b.queryRows("SELECT id, email FROM contacts WHERE email IS NOT NULL ORDER BY id"), b.queryRows("SELECT id, email FROM deleted_contacts WHERE email IS NOT NULL ORDER BY id")
	}
	contacts, deleted := hashed()
	b.failOn(os.Remove(b.runner.Dir.HashKeyFile()))
	b.space.Advance(100 * time.Hour)
	b.keyRefused("is missing")
	accept := runner.Options{FullRefresh: true, AcceptHashKey: true, Select: []string{"contacts", "contact_activities"}}
	notes := strings.Join(b.syncOnce(accept).Notes, "\n")
	if !strings.Contains(notes, "deleted_contacts: hash email has another key: ") || strings.Contains(notes, "note: contacts") {
		t.Errorf("the run says %q", notes)
	}
	contactsNow, deletedNow := hashed()
	if same := slices.ContainsFunc(contactsNow, func(row string) bool { return slices.Contains(contacts, row) }); same || len(contactsNow) != len(contacts) {
		t.Error("some contacts keep their hash")
	}
	if !slices.Equal(deletedNow, deleted) {
		t.Error("what was not read has other hashes")
	}
	if notes := strings.Join(b.syncOnce(runner.Options{}).Notes, "\n"); len(notes) > 0 { // this run reads the whole list
		t.Errorf("the run after says %q", notes)
	}
	if _, now := hashed(); slices.Equal(now, deleted) || len(now) != len(deleted) {
		t.Error("the deleted contacts keep their hashes")
	}
	again, _ := hashed()
	b.syncOnce(runner.Options{FullRefresh: true})
	if got, _ := hashed(); !slices.Equal(got, again) || !slices.Equal(got, contactsNow) {
		t.Error("the hashes are not those of one key")
	}
}
