package remote

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/load/layout"
)

// childDir is the variable with the directory of TestARunOfAChild.
const childDir = "AQUEDUCK_REMOTE_CHILD"

// TestARunOfAChild takes, publishes and sends in a process of its own, which TestKilledMachinesLoseNoHead kills.
func TestARunOfAChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("it is a part of TestKilledMachinesLoseNoHead")
	}
	store, err := OpenStore("s3://lake/w")
	must(t, err)
	m := &machine{t: t, dir: layout.Dir(filepath.Dir(dir)), store: store}
	m.take()
	m.publish(filepath.Base(dir), []byte(dir))
	m.send(1)
}

// TestKilledMachinesLoseNoHead kills processes of two machines by SIGKILL at a random request that writes, before or after the store has done it. After one more run the
// store has the file of that machine. A new machine takes a whole file, after the kill and after that run.
// Holds: P1.
func TestKilledMachinesLoseNoHead(t *testing.T) {
	kills := lane.Cases(12, 60)
	if text := os.Getenv("AQUEDUCK_REMOTE_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		kills = n
	}
	b := newBucket(t)
	plain := httptest.NewServer(b.handler)
	t.Cleanup(plain.Close)
	machines, random, at := []*machine{b.machine(), b.machine()}, rand.New(rand.NewPCG(1, 1)), map[string]int{}
	for trial, done := 0, 0; done < kills; trial++ {
		m := machines[random.IntN(len(machines))]
		name := fmt.Sprintf("run%04d.duckdb", trial)
		if place := b.killChild(plain.URL, m, name, random); place != "" {
			at[place]++
			done++
		}
		before, err := b.open().readHead(t.Context())
		must(t, err)
		reader := b.machine() // what the head names is there at each moment
		reader.take()
		if current := reader.dir.Current(); before.Epoch > 0 && filepath.Base(current) != before.File.Name {
			t.Fatalf("trial %d: a new machine has %q, and the head is %+v", trial, current, before)
		}
		m.take()
		again := fmt.Sprintf("again%04d.duckdb", trial)
		m.publish(again, []byte(again))
		m.send(1)
		head, err := b.open().readHead(t.Context())
		must(t, err)
		if head.File.Name != again || head.Epoch != before.Epoch+1 {
			t.Fatalf("trial %d: the head is %+v, and was %+v", trial, head, before)
		}
		fresh := b.machine()
		fresh.take()
		fresh.expectCurrent(again, []byte(again))
	}
	t.Logf("%d kills: no failure; %v", kills, at)
}

// killChild starts a run in a process, and kills it. It says where; "" if the run ended before.
func (b *bucket) killChild(address string, m *machine, name string, random *rand.Rand) (place string) {
	b.t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestARunOfAChild$")
	c.Env = append(os.Environ(), childDir+"="+filepath.Join(string(m.dir), name), "AWS_ENDPOINT_URL_S3="+address, "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=us-east-1")
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	killed, writes := atomic.Pointer[string]{}, atomic.Int64{}
	write, after := 1+random.Int64N(7), random.IntN(2) == 0
	b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		isNow := r.Method != http.MethodGet && r.Method != http.MethodHead && writes.Add(1) == write
		if killed.Load() != nil {
			return
		}
		if isNow {
			what := "before " + r.Method + " " + path.Ext(r.URL.Path)
			if after {
				store.ServeHTTP(httptest.NewRecorder(), r)
				what = "after " + r.Method + " " + path.Ext(r.URL.Path)
			}
			killed.Store(&what)
			_ = c.Process.Kill() // it may have ended
			return
		}
		store.ServeHTTP(w, r)
	})
	defer b.changing(nil)
	must(b.t, c.Start())
	if err := c.Wait(); err != nil {
		if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() {
			b.t.Fatalf("a child that was not killed: %v\n%s", err, said.String())
		}
		return *killed.Load()
	}
	return ""
}
