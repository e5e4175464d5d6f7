//go:build mirror

package mirror

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/lane"
)

// spent is what the mirrors of a night cost.
type spent struct{ reads, writes, calls, commits, objects int64 }

// countNight mirrors some workspaces, each with a published file of its own, after statements. It counts the requests to the store and, where there is one, to the catalog's server.
func countNight(t *testing.T, yards []*yard, statements string, reads, writes, calls, commits *atomic.Int64) (s spent) {
	t.Helper()
	for i, y := range yards {
		y.publish(strings.ReplaceAll(statements, "'ws1'", fmt.Sprintf("'ws%d'", i+1)))
	}
	for _, of := range []*atomic.Int64{reads, writes, calls, commits} {
		of.Store(0)
	}
	for _, y := range yards {
		y.mirror()
	}
	s = spent{reads: reads.Load(), writes: writes.Load(), calls: calls.Load(), commits: commits.Load()}
	_, store, err := openObjects(t.Context(), yards[0].options)
	must(t, err)
	addresses, err := store.list(yards[0].options.Location, time.Time{})
	must(t, err)
	s.objects = int64(len(addresses))
	return s
}

// TestTheCostOfMirrorsGrowsWithWorkspaces, and with nothing else: requests to store and catalog, commits and objects of many workspaces are those of one, times their number.
// `make mirror-scale` has a hundred.
func TestTheCostOfMirrorsGrowsWithWorkspaces(t *testing.T) {
	nights := []struct{ name, statements string }{{"first", first}, {"one of four tables changed", "UPDATE contacts SET score = score + 1 WHERE age < 12"}, {"nothing changed", "SELECT 1"}}
	sizes := []int{1, lane.Cases(3, 10)}
	if n := number(t, "AQUEDUCK_SCALE"); n > 0 {
		sizes = append(sizes, n)
	}
	for _, kind := range []string{"sqlite", "rest"} {
		one := map[string]spent{}
		for _, n := range sizes {
			var reads, writes, calls, commits atomic.Int64
			y := newYard(t)
			y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				if r.Method == http.MethodGet || r.Method == http.MethodHead {
					reads.Add(1)
				} else {
					writes.Add(1)
				}
				store.ServeHTTP(w, r)
			})
			if kind == "rest" {
				s := newRestServer(t, y)
				y.options.Catalog = s.address
				change := func(w http.ResponseWriter, r *http.Request, server http.Handler) {
					calls.Add(1)
					if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/tables/") {
						commits.Add(1)
					}
					server.ServeHTTP(w, r)
				}
				s.change.Store(&change)
			}
			yards := []*yard{y}
			for len(yards) < n {
				yards = append(yards, newYardAt(t, y))
			}
			for _, night := range nights {
				var before, after syscall.Rusage
				must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
				got := countNight(t, yards, night.statements, &reads, &writes, &calls, &commits)
				must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
				cpu := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
				t.Logf("%s, %d workspaces, %s: %+v, %.1f CPU seconds", kind, n, night.name, got, cpu.Seconds())
				if n == 1 {
					one[night.name] = got
					continue
				}
				want, times := one[night.name], int64(n)
				want = spent{want.reads * times, want.writes * times, want.calls * times, want.commits * times, want.objects * times}
				if kind == "rest" { // its server reads and writes objects, too
					got.reads, want.reads, got.writes, want.writes = 0, 0, 0, 0
				}
				if got != want {
					t.Errorf("%s, %d workspaces, %s: %+v, and %d times those of one are %+v", kind, n, night.name, got, n, want)
				}
			}
		}
	}
}
