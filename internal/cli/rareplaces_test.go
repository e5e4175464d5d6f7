package cli

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"aqueduck/internal/crash"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
)

// killsAtRarePlaces kills runs at crash points that only some runs pass: during an erasure that writes the file again, while a damaged work
// database or a backup is restored, and around an export job.
func killsAtRarePlaces(t *testing.T, y *frozenSite) {
	places := slices.Concat(crash.ErasePoints(), crash.RebuildPoints(), crash.RestorePoints())
	if !lane.Heavy() {
		places = everySecond(places, false)
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			p := y.copyWarehouse(t, killed)
			switch place {
			case crash.OpenAside:
				if err := os.Truncate(p.dir.Database(), 5000); err != nil {
					t.Fatal(err)
				}
			case crash.BackupSummed, crash.BackupMoved:
				p = p.copyBackup()
			}
			p.requireCrash(place)
			p.requireReadable()
			p.requireRecovery()
		})
	}
	for _, place := range crash.ExportPoints() {
		t.Run(place, func(t *testing.T) {
			p := y.copyWarehouse(t, empty)
			p.pipeline = "exports"
			p.requireCrash(place)
			if e := p.syncOnce(); !e.succeeded() {
				t.Fatal(e)
			}
			start := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
			oracletest.CompareReport(t, y.space, p.dir.Current(), "conversation", start)
			p.requireTidyCopy()
		})
	}
}

// killsAroundTheObjectStore kills runs that take from an object store, or send to it. Afterwards another machine has all data from there.
func killsAroundTheObjectStore(t *testing.T, y *frozenSite) {
	text, err := os.ReadFile(filepath.Join(y.home, "pipelines.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(y.home, "remote.yaml")
	if err := os.WriteFile(config, bytes.Replace(text, []byte("{dir: data"), []byte("{dir: data, remote: \"s3://bucket/w\""), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range crash.RemotePoints() {
		t.Run(place, func(t *testing.T) {
			backend := s3mem.New()
			if err := backend.CreateBucket("bucket"); err != nil {
				t.Fatal(err)
			}
			store := httptest.NewServer(gofakes3.New(backend).Server())
			defer store.Close()
			env := []string{"AWS_ENDPOINT_URL_S3=" + store.URL, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret"}
			p, other := y.copyWarehouse(t, killed), y.copyWarehouse(t, empty)
			p.file, other.file = config, config
			if place == crash.RemoteTaken {
				if e := p.syncOnce(env...); !e.succeeded() {
					t.Fatal(e)
				}
				other.requireCrash(place, env...)
				other.requireReadable()
			} else {
				p.requireCrash(place, env...)
				p.requireReadable()
				if e := p.syncOnce(env...); !e.succeeded() {
					t.Fatal(e)
				}
			}
			if e := other.syncOnce(env...); !e.succeeded() {
				t.Fatal(e)
			}
			other.requireOracleData()
			if e := p.syncOnce(env...); !e.succeeded() {
				t.Fatal(e)
			}
			p.requireOracleData()
		})
	}
}

// requireCrash runs until a crash point.
func (p *warehouseCopy) requireCrash(place string, env ...string) {
	p.t.Helper()
	if e := p.syncOnce(append(env, "AQUEDUCK_CRASH="+place+":1")...); !e.status.Signaled() || e.status.Signal() != syscall.SIGKILL {
		p.t.Fatalf("the run did not come to %s: %v", place, e)
	}
}

// copyBackup returns a new directory that has only the published file, in the place of the link, and the log of erasures.
func (p *warehouseCopy) copyBackup() *warehouseCopy {
	p.t.Helper()
	text, err := os.ReadFile(p.dir.Current())
	if err != nil {
		p.t.Fatal(err)
	}
	fresh := p.copyWarehouse(p.t, empty)
	err = errors.Join(os.Mkdir(string(fresh.dir), 0o755), os.WriteFile(fresh.dir.Link(), text, 0o644))
	erasures := filepath.Join(string(p.dir), "erasures.log")
	if _, statErr := os.Stat(erasures); statErr == nil {
		p.copyDirectory(string(fresh.dir), erasures)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return fresh
}
