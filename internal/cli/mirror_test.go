//go:build mirror

package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"aqueduck/internal/crash"
)

// TestKillsAroundTheMirror kills runs in their mirror, refuses one, and lets the next mirror make up for it. Then one more finds all tables equal.
// Holds: P1.
func TestKillsAroundTheMirror(t *testing.T) {
	t.Parallel()
	y := newYard(t, 31)
	text, err := os.ReadFile(filepath.Join(y.home, "pipelines.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(y.home, "mirror.yaml")
	if err := os.WriteFile(config, bytes.Replace(text, []byte("{dir: data"), []byte("{dir: data, mirror: {location: \"s3://bucket/tables\"}"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range append(crash.MirrorPoints(), "refused") {
		t.Run(place, func(t *testing.T) {
			backend := s3mem.New()
			if err := backend.CreateBucket("bucket"); err != nil {
				t.Fatal(err)
			}
			var refuse atomic.Bool
			bucket := gofakes3.New(backend).Server()
			store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if refuse.Load() {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				bucket.ServeHTTP(w, r)
			}))
			defer store.Close()
			env := []string{"AWS_ENDPOINT_URL_S3=" + store.URL, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=hidden-secret"}
			p := y.copyWarehouse(t, killed)
			p.file = config
			if place != "refused" {
				p.requireCrash(place, env...)
			} else {
				refuse.Store(true)
				if e := p.syncOnce(env...); !e.status.Exited() || e.status.ExitStatus() != 1 || !strings.Contains(e.said, "the run itself is published on this machine") || strings.Contains(e.said, "hidden-secret") {
					t.Errorf("a store that refuses: %v", e)
				}
				refuse.Store(false)
			}
			p.requireReadable()
			p.requireMirrored(env, "equal to", "changed")
			p.requireMirrored(env, "already", "")
			p.requireOracleData()
			if place == "refused" {
				if e := p.syncOnce(env...); !e.succeeded() {
					t.Error(e)
				}
				p.requireRolledBack(env)
			}
		})
	}
}

// requireRolledBack restores the older published file, from within the directory of the configuration. The tables are equal to it then.
func (p *warehouseCopy) requireRolledBack(env []string) {
	p.t.Helper()
	before := p.dir.Current()
	text, err := os.ReadFile(p.file)
	if err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(p.t.TempDir(), "pipelines.yaml")
	if err := os.WriteFile(file, bytes.Replace(text, []byte("{dir: data"), []byte("{dir: "+string(p.dir)), 1), 0o600); err != nil {
		p.t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		word string
	}{{[]string{"rollback", "--yes", "-f", file}, "readers have "}, {[]string{"mirror", "-f", file}, "already"}} {
		c := exec.CommandContext(p.t.Context(), p.syncCommand(nil)[0], step.args...)
		c.Env = append(p.syncEnvironment(), env...)
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), step.word) {
			p.t.Errorf("%s says, without %q: %s %v", step.args[0], step.word, out, err)
		}
	}
	if p.dir.Current() == before {
		p.t.Error("nothing was rolled back: the test proves nothing")
	}
}

// requireMirrored runs `aqueduck mirror`, which says some words.
func (p *warehouseCopy) requireMirrored(env []string, words ...string) {
	p.t.Helper()
	line := p.syncCommand(nil)
	c := exec.CommandContext(p.t.Context(), line[0], append([]string{"mirror"}, line[3:]...)...)
	c.Env = append(p.syncEnvironment(), env...)
	out, err := c.CombinedOutput()
	for _, word := range words {
		if err != nil || !strings.Contains(string(out), word) {
			p.t.Errorf("mirror says, without %q: %s %v", word, out, err)
		}
	}
}
