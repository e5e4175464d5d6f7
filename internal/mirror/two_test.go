//go:build mirror

package mirror

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"aqueduck/internal/lane"
)

// newRivals returns two warehouses of the same workspace, which mirror into the same tables.
func newRivals(t *testing.T) (y, other *yard) {
	y = newYard(t)
	y.options.Store = "s3://lake/w"
	y.publish(first)
	y.mirror()
	other = newYardAt(t, y)
	other.options.Store = "s3://lake/w"
	other.publish(first)
	return y, other
}

// TestAZombieIsOvertaken pauses a mirror before each of its requests that write, one after the other, lets the mirror of a later head end, and continues it. All tables stay
// equal to the file of the later head.
// Holds: P3.
func TestAZombieIsOvertaken(t *testing.T) {
	y, other := newRivals(t)
	fenced := 0
	for n := int64(1); ; n += int64(lane.Cases(3, 1)) {
		y.options.Epoch, other.options.Epoch = 2*n, 2*n+1
		y.publish(night + "; UPDATE contacts SET score = score + 1 WHERE age < 40")
		other.publish("UPDATE contacts SET score = score - 1 WHERE age BETWEEN 30 AND 60; INSERT INTO tags (id) VALUES ('other')")
		at, once := y.requests.Load()+n, atomic.Bool{}
		y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
			if y.requests.Load() == at && r.Method != http.MethodGet && r.Method != http.MethodHead && once.CompareAndSwap(false, true) {
				if _, err := MirrorTables(t.Context(), other.options); err != nil {
					t.Errorf("request %d: the later head: %v", n, err)
				}
			}
			store.ServeHTTP(w, r)
		})
		_, err := MirrorTables(t.Context(), y.options)
		y.changing(nil)
		if !once.Load() { // it has fewer requests: all were tried
			break
		}
		if err != nil {
			fenced++
			expectProblem(t, err, "busy", "next")
		}
		v, err := VerifyTables(t.Context(), other.options)
		must(t, err)
		if len(v.Differing()) > 0 {
			t.Errorf("request %d: the zombie changed %+v", n, v.Differing())
		}
		if r := other.mirror(); r.Changed != 0 {
			t.Errorf("request %d: the next mirror: %+v", n, r)
		}
	}
	t.Logf("%d zombies were refused", fenced)
	if fenced < lane.Cases(8, 25) {
		t.Errorf("%d zombies were refused", fenced)
	}
}

// TestTwoMirrorsAtOnce runs the mirrors of two heads at the same instant. The later one, once more, makes all tables equal.
// Holds: P2.
func TestTwoMirrorsAtOnce(t *testing.T) {
	y, other := newRivals(t)
	for n := int64(1); n <= 6; n++ {
		y.options.Epoch, other.options.Epoch = 2*n, 2*n+1
		y.publish(night)
		other.publish("UPDATE contacts SET score = score - 1 WHERE age BETWEEN 30 AND 60; INSERT INTO tags (id) VALUES ('other')")
		var both sync.WaitGroup
		errs := [2]error{}
		for i, o := range []Target{y.options, other.options} {
			both.Go(func() { _, errs[i] = MirrorTables(t.Context(), o) })
		}
		both.Wait()
		for _, err := range errs {
			if err != nil {
				expectProblem(t, err, "busy", "next")
			}
		}
		other.mirror()
		other.expectEqual(every...)
	}
}

// lossyProxy hands a TCP connection on to a database. When told to, it hands a COMMIT on and ends the connection before its answer.
type lossyProxy struct {
	address string
	lose    atomic.Bool // the next COMMIT
	lost    atomic.Int64
}

func startLossyProxy(t *testing.T, to string) *lossyProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	p := &lossyProxy{address: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go p.pass(c, to)
		}
	}()
	return p
}

// pass hands one connection on until one side ends it.
func (p *lossyProxy) pass(c net.Conn, to string) {
	defer c.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	losing := atomic.Bool{}
	ended := make(chan struct{}, 2)
	forward := func(from, to net.Conn, isClient bool) {
		defer func() { ended <- struct{}{} }()
		piece := make([]byte, 1<<16)
		for {
			n, err := from.Read(piece)
			if err != nil {
				return
			}
			if isClient && strings.Contains(strings.ToLower(string(piece[:n])), "commit") && p.lose.CompareAndSwap(true, false) {
				losing.Store(true)
			}
			if !isClient && losing.Load() { // the database has committed
				p.lost.Add(1)
				return
			}
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
	}
	go forward(c, server, true)
	go forward(server, c, false)
	<-ended
}

// TestALostAnswerOfTheCatalogIsNoSecondCommit has the database of the catalog commit, and its answer get lost, for one commit of a mirror after the other.
// Holds: P4.
func TestALostAnswerOfTheCatalogIsNoSecondCommit(t *testing.T) {
	address, _ := startPostgres(t)
	at, err := url.Parse(address)
	must(t, err)
	p := startLossyProxy(t, at.Host)
	y := newYard(t)
	y.options.Catalog = strings.Replace(address, at.Host, p.address, 1)
	waitForCatalog(t, address)
	t.Setenv("PGSSLMODE", "disable")
	y.publish(first)
	y.mirror()
	for n := int64(1); n < 40; n += int64(lane.Cases(3, 1)) {
		y.publish(night + "; INSERT INTO tags (id) VALUES ('again')")
		from, before := y.requests.Load(), p.lost.Load()
		y.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
			if y.requests.Load() == from+n {
				p.lose.Store(true)
			}
			store.ServeHTTP(w, r)
		})
		_, err := MirrorTables(t.Context(), y.options)
		y.changing(nil)
		p.lose.Store(false)
		isDone := y.requests.Load() < from+n
		if err != nil {
			expectProblem(t, err, "transient", "catalog")
		}
		y.mirror()
		y.expectEqual(every...)
		if r := y.mirror(); r.Changed != 0 {
			t.Errorf("request %d, lost %d: the next mirror: %+v", n, p.lost.Load()-before, r)
		}
		if isDone {
			break
		}
	}
	if p.lost.Load() < 3 {
		t.Errorf("%d answers were lost", p.lost.Load())
	}
	t.Logf("%d answers were lost", p.lost.Load())
}
