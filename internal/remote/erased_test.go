package remote

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/load/layout"
)

const (
	saltLine   = "{\"salt\":\"00\"}\n"
	personLine = "{\"person\":\"1\"}\n"
)

// erasePerson does on one machine what an erasure does there: it notes the person, and rewrites the published file without the person.
func (m *machine) erasePerson(name string) {
	m.t.Helper()
	must(m.t, layout.ReplaceFile(m.dir, m.dir.Erasures(), []byte(saltLine+personLine)))
	m.publish(name, []byte("without it"))
}

// TestAnErasureThatDidNotEndInTheStoreIsFinished by the next run, also if the head says already what it should: the store refused to delete, or answered
// nothing more after the head moved, as where the run dies.
// Holds: P8.
func TestAnErasureThatDidNotEndInTheStoreIsFinished(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(r *http.Request, moved bool) bool{
		"no right to delete": func(r *http.Request, _ bool) bool { return r.Method == http.MethodDelete },
		"a dead run":         func(_ *http.Request, moved bool) bool { return moved },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t)
			m := b.machine()
			m.publish("one.duckdb", []byte("one with the person"))
			m.send(2)
			must(t, os.RemoveAll(filepath.Join(m.dir.Published(), "one.duckdb")))
			m.erasePerson("two.duckdb")
			moved := false
			b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				if ends(r, moved) {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				store.ServeHTTP(w, r)
				moved = moved || r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, headName)
			})
			for range 2 { // each run until then says so
				_, err := m.store.Send(t.Context(), m.dir, layout.Retention{Keep: 2}, instant)
				expectProblem(t, err, "auth", "s3://lake/w")
				if state := ReadState(m.dir); state == nil || !state.Unclean {
					t.Errorf("the state is %+v", state)
				}
			}
			b.changing(nil)
			other := b.machine() // it began before the store is clean: its file must not be lost
			other.take()
			m.take()
			m.send(2)
			if content := b.content(); strings.Contains(content, "with the person") || !strings.Contains(content, "without it") {
				t.Errorf("the store has\n%s", content)
			}
			if state := ReadState(m.dir); state == nil || state.Unclean || !state.Whole {
				t.Errorf("then the state is %+v", state)
			}
			other.publish("three.duckdb", []byte("three"))
			_, err := other.store.Send(t.Context(), other.dir, layout.Retention{Keep: 2}, instant)
			expectProblem(t, err, "busy", "another machine")
			head, err := m.store.readHead(t.Context())
			must(t, err)
			m.send(2)
			if again, err := m.store.readHead(t.Context()); err != nil || again.Epoch != head.Epoch {
				t.Errorf("a clean store was cleaned again: %+v, %v", again, err)
			}
		})
	}
}

// TestAnotherMachineEndsAnErasureInTheStore where the one that erased died after it moved the head, and never runs again.
// Holds: P8.
func TestAnotherMachineEndsAnErasureInTheStore(t *testing.T) {
	t.Parallel()
	for _, began := range []string{"empty", "with a file"} {
		t.Run(began, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t)
			m, other := b.machine(), b.machine()
			m.publish("one.duckdb", []byte("one with the person"))
			m.send(0)
			if began != "empty" {
				other.take()
			}
			m.erasePerson("two.duckdb")
			b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				if r.Method == http.MethodDelete {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				store.ServeHTTP(w, r)
			})
			_, err := m.store.Send(t.Context(), m.dir, layout.Retention{}, instant)
			expectProblem(t, err, "auth", "s3://lake/w")
			other.take()
			_, err = other.store.Send(t.Context(), other.dir, layout.Retention{}, instant)
			expectProblem(t, err, "auth", "s3://lake/w")
			b.changing(nil)
			if !strings.Contains(b.content(), "with the person") {
				t.Fatal("there is nothing to delete")
			}
			third := b.machine()
			third.take()
			third.send(0)
			if content := b.content(); strings.Contains(content, "with the person") || !strings.Contains(content, "without it") {
				t.Errorf("the store has\n%s", content)
			}
			head, err := third.store.readHead(t.Context())
			must(t, err)
			third.send(0)
			if again, err := third.store.readHead(t.Context()); err != nil || again.Epoch != head.Epoch {
				t.Errorf("a clean store was cleaned again: %+v, %v", again, err)
			}
		})
	}
}

// TestATakenFileSaysWhetherItLacksTheErased: the sender of an erasure may die before it sends its file. Until it has, the copy is not without the person.
// Holds: P8.
func TestATakenFileSaysWhetherItLacksTheErased(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	m, other := b.machine(), b.machine()
	m.publish("one.duckdb", []byte("one with the person"))
	m.send(2)
	if taken := other.take(); !taken.Erased {
		t.Errorf("before any erasure it took %+v", taken)
	}
	m.erasePerson("two.duckdb")
	must(t, m.store.sendErasures(t.Context(), m.dir, []byte(saltLine+personLine)))
	if taken := other.take(); taken.Erased || taken.New || !other.dir.Erasing() {
		t.Errorf("before the file was sent it took %+v", taken)
	}
	m.send(2)
	if taken := other.take(); !taken.Erased || !taken.New {
		t.Errorf("then it took %+v", taken)
	}
}
