package publish_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/lane"
	"aqueduck/load/layout"
)

// TestF2KillsAtEveryNamedPointLoseNothing builds the test binary with crash points and dies at each of them.
// Holds: T139, T140.
func TestF2KillsAtEveryNamedPointLoseNothing(t *testing.T) {
	t.Parallel()
	binary := buildCrashBinary(t)
	points := crash.Points()
	if !lane.Heavy() { // internal/cli kills whole runs at each of them
		points = slices.DeleteFunc(points, func(point string) bool { return slices.Index(crash.Points(), point)%3 > 0 })
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			dir := layout.Dir(filepath.Join(t.TempDir(), "data"))
			c := startChild(t, binary, string(dir)+"|13|", "AQUEDUCK_CRASH="+point+":1")
			if err := c.Wait(); !wasKilled(err) {
				t.Fatalf("the process was not killed at %s: %v", point, err)
			}
			checkPublished(t, dir)
			finishUndisturbed(t, binary, dir)
		})
	}
	t.Run("soon after", func(t *testing.T) {
		kills := lane.Cases(2, 6)
		for l := lane.New(t, "processes killed within 8 ms of a step of a publish", kills); l.HasNext(); l.CountTrials(kills) {
			dir := filepath.Join(t.TempDir(), strconv.FormatUint(l.Seed(), 10))
			soonAfter(t, binary, dir, rand.New(rand.NewPCG(l.Seed(), 0)), kills)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// buildCrashBinary is this test binary with crash points.
func buildCrashBinary(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a second test binary: make test runs it")
	}
	binary := filepath.Join(t.TempDir(), "crashing.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-tags=duckdb_arrow,crashpoints", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the test binary: %v\n%s", err, out)
	}
	return binary
}

// soonAfter kills processes in one warehouse, one after the other, some milliseconds after a named point: inside a copy,
// a checkpoint or a Parquet file.
func soonAfter(t *testing.T, binary, dir string, r *rand.Rand, kills int) {
	t.Helper()
	points := crash.Points()
	points = points[slices.Index(points, crash.FoldCopied):slices.Index(points, crash.PublishRetained)]
	for range kills {
		place := fmt.Sprintf("%s:1:%s", points[r.IntN(len(points))], time.Duration(r.IntN(8000))*time.Microsecond)
		if err := startChild(t, binary, dir+"|100000|", "AQUEDUCK_CRASH="+place).Wait(); !wasKilled(err) {
			t.Fatalf("the process was not killed after %s: %v", place, err)
		}
		checkPublished(t, layout.Dir(dir))
	}
	finishUndisturbed(t, binary, layout.Dir(dir))
}
