package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// TestAnotherMachineGoesOnFromTheFile in an empty directory, and the first one then from that of the second.
func TestAnotherMachineGoesOnFromTheFile(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	one, two := randomBytes(1, 3<<20+17), randomBytes(2, 2<<20)
	if taken := first.take(); taken.New || taken.Note != "" {
		t.Errorf("of an empty store it took %+v", taken)
	}
	first.publish("one.duckdb", one)
	if state := ReadState(first.dir); state == nil || state.Whole || state.Place != "s3://lake/w" {
		t.Errorf("before it sends the state is %+v", state)
	}
	first.send(2)
	if state := ReadState(first.dir); state == nil || !state.Whole || state.Run != "one" || state.Epoch != 1 || !state.At.Equal(instant) {
		t.Errorf("after it sent the state is %+v", state)
	}
	if taken := second.take(); !taken.New || taken.Bytes != int64(len(one)) || !strings.Contains(taken.Note, "another machine") {
		t.Errorf("it took %+v", taken)
	}
	second.expectCurrent("one.duckdb", one)
	second.publish("two.duckdb", two)
	second.send(2)
	if taken := second.take(); taken.New {
		t.Error("it took its own file")
	}
	first.take()
	first.expectCurrent("two.duckdb", two)
}

// TestOfTwoMachinesOneMovesTheHead lets both begin from the same file. The slower one leaves nothing in the store, and begins its next run from the
// file of the other.
// Holds: P2.
func TestOfTwoMachinesOneMovesTheHead(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	first.publish("one.duckdb", []byte("one"))
	first.send(0)
	second.take()
	first.publish("two.duckdb", []byte("two"))
	second.publish("three.duckdb", []byte("three"))
	second.send(0)
	before := b.objects()
	_, err := first.store.Send(t.Context(), first.dir, layout.Retention{Keep: 0}, instant)
	expectProblem(t, err, "busy", "another machine sent its file to s3://lake/w at 2026-11-01 02:00:00")
	if after := b.objects(); !slices.Equal(before, after) || strings.Contains(b.content(), "two") {
		t.Errorf("the store has %v, had %v", after, before)
	}
	first.expectCurrent("two.duckdb", []byte("two"))
	first.take()
	first.expectCurrent("three.duckdb", []byte("three"))
}

// TestMachinesThatSendAtOnceLoseNoHead has many machines take, publish and send side by side. Each head follows the one that its machine began from.
// Holds: P2.
func TestMachinesThatSendAtOnceLoseNoHead(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	const machines, rounds = 4, 8
	var moved sync.Map
	var group sync.WaitGroup
	for n := range machines {
		m := b.machine()
		group.Go(func() {
			for round := range rounds {
				if _, err := m.store.Take(t.Context(), m.dir, instant); err != nil {
					t.Error(err)
					return
				}
				began := filepath.Base(m.dir.Current())
				name := string(rune('a'+n)) + string(rune('a'+round)) + ".duckdb"
				m.publish(name, []byte(name))
				if _, err := m.store.Send(t.Context(), m.dir, layout.Retention{Keep: 0}, instant); err == nil {
					moved.Store(name, began)
				}
			}
		})
	}
	group.Wait()
	head, err := b.open().readHead(t.Context())
	must(t, err)
	chain := int64(0)
	for name := head.File.Name; name != "."; chain++ {
		began, ok := moved.Load(name)
		if !ok {
			t.Fatalf("%s became the head, and its machine was not told", name)
		}
		name = began.(string)
	}
	if count := 0; chain != head.Epoch {
		t.Errorf("%d heads follow each other, the epoch is %d", chain, head.Epoch)
	} else if moved.Range(func(_, _ any) bool { count++; return true }); int64(count) != chain {
		t.Errorf("%d machines were told that they moved the head, %d did", count, chain)
	}
}

// TestOnlyChangedChunksAreTransferred changes one byte of a file, moves a part of it and adds one.
func TestOnlyChangedChunksAreTransferred(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	old := randomBytes(1, 40<<20)
	first.publish("one.duckdb", old)
	first.send(1)
	second.take()
	changed := slices.Concat(old[1<<20:20<<20], randomBytes(2, 1<<20), old[20<<20:], []byte("more"))
	changed[5<<20]++
	first.publish("two.duckdb", changed)
	first.send(1)
	before := b.sent.Load()
	taken := second.take()
	second.expectCurrent("two.duckdb", changed)
	if sent := b.sent.Load() - before; taken.Bytes != chunkSize+1<<20+4 || sent > 2<<20 {
		t.Errorf("%d bytes were transferred, the store sent %d", taken.Bytes, sent)
	}
}

// TestALostAnswerMovesTheHeadOnce: the store writes the head and answers with an error, with a refusal, or not at all.
// Holds: P4.
func TestALostAnswerMovesTheHeadOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 503, 412, 0} {
		b := newBucket(t)
		m := b.machine()
		m.publish("one.duckdb", []byte("one"))
		m.send(1)
		m.publish("two.duckdb", []byte("two"))
		lost := 0
		b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
			if r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, headName) || lost > 0 {
				store.ServeHTTP(w, r)
				return
			}
			lost++
			store.ServeHTTP(httptest.NewRecorder(), r)
			if status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(status)
		})
		m.send(1)
		head, err := b.open().readHead(t.Context())
		must(t, err)
		if head.Epoch != 2 || head.File.Name != "two.duckdb" || lost != 1 {
			t.Errorf("status %d: the head is %+v after %d lost answers", status, head, lost)
		}
		if taken := m.take(); taken.New || taken.Note != "" {
			t.Errorf("status %d: then it took %+v", status, taken)
		}
	}
}

// TestAsManyOlderFilesStayAsAsked, and what no head ever named is not touched.
func TestAsManyOlderFilesStayAsAsked(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	m := b.machine()
	_, err := m.store.replace(t.Context(), "files/foreign", "", []byte("of somebody else"))
	must(t, err)
	for i, name := range []string{"a.duckdb", "b.duckdb", "c.duckdb", "d.duckdb"} {
		m.publish(name, []byte(name))
		m.send(2)
		if want := 2*min(i+1, 3) + 2; len(b.objects()) != want {
			t.Errorf("after %s there are %d objects, want %d: %v", name, len(b.objects()), want, b.objects())
		}
	}
	m.send(0) // nothing new, but fewer files
	want := []string{"files/foreign", "head.json"}
	got := slices.DeleteFunc(b.objects(), func(name string) bool { return strings.HasPrefix(name, "files/d.") })
	if !slices.Equal(got, want) {
		t.Errorf("the store has %v", b.objects())
	}
}

// TestAReplacedFileLeavesTheStore: a command made the file of readers from the one before, which does not count as an older one.
func TestAReplacedFileLeavesTheStore(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	m := b.machine()
	for _, name := range []string{"1.duckdb", "2.duckdb", "3.duckdb"} {
		m.publish(name, []byte(name))
		m.send(2)
	}
	m.publish("4.duckdb", []byte("4.duckdb"))
	_, err := m.store.Send(t.Context(), m.dir, layout.Retention{Keep: 2, Replaced: map[string]bool{"3.duckdb": true}}, instant)
	must(t, err)
	head, err := m.store.readHead(t.Context())
	must(t, err)
	if len(head.Older) != 2 || head.File.Name != "4.duckdb" || head.Older[0].Name != "2.duckdb" || head.Older[1].Name != "1.duckdb" {
		t.Errorf("the head is %+v", head)
	}
}

// TestAnErasureReachesTheStore has an erasure rewrite the files of one machine. Older files that the machine does not have leave the store, with all
// that a run left there which died. The other machine has to write its files again.
// Holds: P8.
func TestAnErasureReachesTheStore(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	first.publish("one.duckdb", []byte("one with the person"))
	first.send(2)
	second.take()
	second.publish("two.duckdb", []byte("two with the person"))
	second.send(2)
	_, err := second.store.replace(t.Context(), "files/dead.123.duckdb", "", []byte("dead with the person"))
	must(t, err)
	salt, line := "{\"salt\":\"00\"}\n", "{\"person\":\"1\"}\n"
	must(t, layout.ReplaceFile(second.dir, second.dir.Erasures(), []byte(salt+line)))
	must(t, os.RemoveAll(filepath.Join(second.dir.Published(), "one.duckdb")))
	second.publish("two.duckdb", []byte("two rewritten"))
	second.publish("three.duckdb", []byte("three"))
	second.send(2)
	if content := b.content(); strings.Contains(content, "with the person") || !strings.Contains(content, "two rewritten") || !strings.Contains(content, line) {
		t.Errorf("the store has\n%s", content)
	}
	first.take()
	if text, err := os.ReadFile(first.dir.Erasures()); string(text) != salt+line || err != nil || !first.dir.Erasing() {
		t.Errorf("the other machine has the erasures %q, %v, and has to write its files again: %t", text, err, first.dir.Erasing())
	}
	own := "{\"person\":\"2\"}\n"
	must(t, layout.ReplaceFile(first.dir, first.dir.Erasures(), []byte(salt+own+line))) // the same lines in another order are the same erasures
	first.publish("four.duckdb", []byte("four"))
	first.send(2)
	second.take()
	if text, err := os.ReadFile(second.dir.Erasures()); string(text) != salt+line+own || err != nil {
		t.Errorf("the erasures of both are %q, %v", text, err)
	}
}

// TestErasuresWithAnotherSaltAreRefused: neither log says which persons of the other one are erased.
func TestErasuresWithAnotherSaltAreRefused(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	first.publish("one.duckdb", []byte("one"))
	must(t, layout.ReplaceFile(first.dir, first.dir.Erasures(), []byte("{\"salt\":\"00\"}\n")))
	first.send(2)
	must(t, layout.ReplaceFile(second.dir, second.dir.Erasures(), []byte("{\"salt\":\"01\"}\n")))
	_, err := second.store.Take(t.Context(), second.dir, instant)
	expectProblem(t, err, "data", "different salts")
}

// TestWhatIsDamagedInTheStoreIsNotTaken keeps the file that readers have.
func TestWhatIsDamagedInTheStoreIsNotTaken(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]struct {
		of, class, words string
		with             []byte
	}{
		"a changed file":     {".duckdb", "data", "is not as it was sent", randomBytes(9, 2<<20)},
		"a shorter file":     {".duckdb", "transient", "of s3://lake/w", []byte("short")},
		"changed sums":       {sumsSuffix, "data", "is damaged", []byte("{")},
		"sums of another":    {sumsSuffix, "data", "is not as it was sent", []byte(`{"chunk":262144,"sums":["00"]}`)},
		"no file":            {".duckdb", "data", "is gone from s3://lake/w", nil},
		"no sums":            {sumsSuffix, "data", "is gone from s3://lake/w", nil},
		"a head without end": {headName, "data", "head.json of s3://lake/w is damaged", []byte(`{"epoch": 1`)},
		"a path as name":     {headName, "data", "head.json of s3://lake/w is damaged", []byte(`{"epoch": 1, "file": {"name": "../x.duckdb"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t)
			first, second := b.machine(), b.machine()
			first.publish("one.duckdb", []byte("one"))
			first.send(2)
			second.take()
			first.publish("two.duckdb", randomBytes(2, 2<<20))
			first.send(0)
			for _, object := range b.objects() {
				if strings.HasSuffix(object, damage.of) {
					must(t, b.open().remove(t.Context(), object))
					if damage.with != nil {
						_, err := b.open().replace(t.Context(), object, "", damage.with)
						must(t, err)
					}
				}
			}
			_, err := second.store.Take(t.Context(), second.dir, instant)
			expectProblem(t, err, damage.class, damage.words)
			second.expectCurrent("one.duckdb", []byte("one"))
		})
	}
}

// TestALostHeadIsSentAgain by the next run of a machine that knew it.
func TestALostHeadIsSentAgain(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	m := b.machine()
	m.publish("one.duckdb", []byte("one"))
	m.send(2)
	must(t, b.open().remove(t.Context(), headName))
	for range 2 { // the first run may die before it sends
		if taken := m.take(); !strings.Contains(taken.Note, "head.json is gone") {
			t.Errorf("it says %q", taken.Note)
		}
	}
	m.send(2)
	other := b.machine()
	other.take()
	other.expectCurrent("one.duckdb", []byte("one"))
}

// TestALostFileIsTakenFromTheStore: a machine whose published files are gone goes on from its own file in the store, and does not send an empty one.
func TestALostFileIsTakenFromTheStore(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	m := b.machine()
	m.take()
	m.publish("01A.duckdb", randomBytes(1, 3<<20))
	m.send(1)
	for _, lose := range []func() error{
		func() error { return os.RemoveAll(m.dir.Published()) },
		func() error { return errors.Join(os.RemoveAll(m.dir.Published()), os.Remove(m.dir.Link())) },
	} {
		must(t, lose())
		_, err := m.dir.Make() // as each run does
		must(t, err)
		if taken := m.take(); !taken.New || !strings.Contains(taken.Note, "the published files of this machine are gone") {
			t.Errorf("it took %+v", taken)
		}
		m.expectCurrent("01A.duckdb", randomBytes(1, 3<<20))
	}
	if taken := m.take(); taken.New {
		t.Errorf("it took it again: %+v", taken)
	}
}

// TestDataOfAnotherStoreIsRefused: two warehouses would replace each other's data.
func TestDataOfAnotherStoreIsRefused(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	first.publish("one.duckdb", []byte("one"))
	first.send(2)
	second.publish("other.duckdb", []byte("other"))
	_, err := second.store.Take(t.Context(), second.dir, instant)
	expectProblem(t, err, "config", "has data that was never in s3://lake/w")
	second.expectCurrent("other.duckdb", []byte("other"))
	_, err = second.store.Send(t.Context(), second.dir, layout.Retention{Keep: 2}, instant)
	expectProblem(t, err, "busy", "another machine")
}

// TestDataThatWasNotSentYetIsNotReplaced: a warehouse had data before it had a store, and cannot write there. Another workspace then sends its file to the
// same place by mistake. A machine that began empty goes on from it.
// Holds: P2.
func TestDataThatWasNotSentYetIsNotReplaced(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, empty, second := b.machine(), b.machine(), b.machine()
	first.publish("one.duckdb", []byte("one"))
	empty.take()
	empty.publish("three.duckdb", []byte("three"))
	for range 2 { // runs
		first.take()
		b.changing(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusForbidden) })
		_, err := first.store.Send(t.Context(), first.dir, layout.Retention{Keep: 2}, instant)
		expectProblem(t, err, "auth", "s3://lake/w")
		b.changing(nil)
	}
	if state := ReadState(first.dir); state == nil || state.Whole || state.Epoch != 0 {
		t.Errorf("the state is %+v", state)
	}
	second.take()
	second.publish("other.duckdb", []byte("other"))
	second.send(2)
	_, err := first.store.Take(t.Context(), first.dir, instant)
	expectProblem(t, err, "config", "has data that was never in s3://lake/w")
	first.expectCurrent("one.duckdb", []byte("one"))
	empty.take()
	empty.expectCurrent("other.duckdb", []byte("other"))
}

// TestAKilledMachineGoesOn after the head moved and before it noted that, and in the middle of taking a file.
func TestAKilledMachineGoesOn(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	first, second := b.machine(), b.machine()
	first.publish("one.duckdb", []byte("one"))
	first.send(2)
	must(t, os.Remove(layout.StoreNote(first.dir)))
	if taken := first.take(); taken.New || taken.Note != "" {
		t.Errorf("it took %+v", taken)
	}
	first.publish("two.duckdb", []byte("two"))
	first.send(2)
	second.take()
	must(t, os.WriteFile(filepath.Join(second.dir.Temp(), "three.duckdb"), []byte("half"), 0o600))
	first.publish("three.duckdb", []byte("three"))
	first.send(2)
	second.take()
	second.expectCurrent("three.duckdb", []byte("three"))
}

// TestAStoreThatIgnoresConditionsIsRefused before the first head.
func TestAStoreThatIgnoresConditionsIsRefused(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
		r.Header.Del("If-Match")
		r.Header.Del("If-None-Match")
		store.ServeHTTP(w, r)
	})
	m := b.machine()
	m.publish("one.duckdb", []byte("one"))
	_, err := m.store.Send(t.Context(), m.dir, layout.Retention{Keep: 2}, instant)
	expectProblem(t, err, "config", "ignores If-Match")
	if objects := b.objects(); slices.Contains(objects, headName) {
		t.Errorf("the store has %v", objects)
	}
}

// TestAnErrorOfTheStoreSaysWhatToDo, and the store and the warehouse stay as they are.
func TestAnErrorOfTheStoreSaysWhatToDo(t *testing.T) {
	t.Parallel()
	refuse := func(status int, code string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>` + code + `</Code><Message>as the store says</Message></Error>`))
		}
	}
	for name, tt := range map[string]struct {
		change       func(http.ResponseWriter, *http.Request, http.Handler)
		class, words string
	}{
		"no bucket":     {refuse(404, "NoSuchBucket"), "config", "s3://lake/w"},
		"wrong key":     {refuse(403, "InvalidAccessKeyId"), "auth", "as the store says"},
		"expired token": {refuse(400, "ExpiredToken"), "auth", "as the store says"},
		"full":          {refuse(507, "XMinioStorageFull"), "transient", "as the store says"},
		"quota":         {refuse(403, "QuotaExceeded"), "transient", "as the store says"},
		"down":          {refuse(503, "SlowDown"), "transient", "s3://lake/w"},
		"no answer":     {func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }, "transient", "s3://lake/w"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t)
			m := b.machine()
			m.publish("one.duckdb", []byte("one"))
			m.send(2)
			m.publish("two.duckdb", []byte("two"))
			b.changing(tt.change)
			_, err := m.store.Take(t.Context(), m.dir, instant)
			expectProblem(t, err, tt.class, tt.words)
			_, err = m.store.Send(t.Context(), m.dir, layout.Retention{Keep: 2}, instant)
			expectProblem(t, err, tt.class, tt.words)
			m.expectCurrent("two.duckdb", []byte("two"))
			b.changing(nil)
			m.send(2)
			other := b.machine()
			other.take()
			other.expectCurrent("two.duckdb", []byte("two"))
		})
	}
}

// TestAFullStoreSaysSo: it is no matter of credentials, although some stores answer 403. The head stays, and so do its readers.
func TestAFullStoreSaysSo(t *testing.T) {
	t.Parallel()
	for code, status := range map[string]int{"QuotaExceeded": 403, "XMinioStorageFull": 507} {
		b := newBucket(t)
		m := b.machine()
		m.publish("one.duckdb", []byte("one"))
		m.send(2)
		m.publish("two.duckdb", []byte("two"))
		b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
			if r.Method != http.MethodPut {
				store.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>` + code + `</Code></Error>`))
		})
		_, err := m.store.Send(t.Context(), m.dir, layout.Retention{Keep: 2}, instant)
		expectProblem(t, err, "transient", "files/two")
		if p := new(problem.Problem); errors.As(err, &p) && !strings.Contains(p.Next, "free some space") {
			t.Errorf("%s: the next step is %s", code, p.Next)
		}
		reader := b.machine()
		reader.take()
		reader.expectCurrent("one.duckdb", []byte("one"))
		b.changing(nil)
		m.send(2)
		reader.take()
		reader.expectCurrent("two.duckdb", []byte("two"))
	}
}

// TestAStoreThatHangsIsGivenUp: it answers nothing, half of an answer, or takes no more of a file. The warehouse stays whole, and the next machine makes up for it.
// Holds: P4.
func TestAStoreThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, hangs := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"no answer": func(http.ResponseWriter, *http.Request) bool { return true },
		"half an answer": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"epoch": 1,`))
			return http.NewResponseController(w).Flush() == nil
		},
		"takes nothing": func(_ http.ResponseWriter, r *http.Request) bool { return r.Method == http.MethodPut },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t)
			m := b.machine()
			m.publish("one.duckdb", []byte("one"))
			m.send(2)
			large := randomBytes(1, 14<<20)
			m.publish("two.duckdb", large)
			end := make(chan struct{})
			t.Cleanup(func() { close(end) })
			b.changing(func(w http.ResponseWriter, r *http.Request, store http.Handler) {
				if !hangs(w, r) {
					store.ServeHTTP(w, r)
					return
				}
				select {
				case <-end:
				case <-r.Context().Done():
				}
			})
			_, err := b.openFor(100*time.Millisecond).Send(t.Context(), m.dir, layout.Retention{Keep: 2}, instant)
			expectProblem(t, err, "transient", "s3://lake/w")
			m.expectCurrent("two.duckdb", large)
			b.changing(nil)
			m.send(2)
			other := b.machine()
			other.take()
			other.expectCurrent("two.duckdb", large)
		})
	}
}

// TestPlacesOfAStore are s3://bucket/prefix, and nothing else.
// Holds: P12.
func TestPlacesOfAStore(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"s3://lake", "s3://lake/a/b"} {
		if s, err := OpenStore(good); err != nil || s.bucket != "lake" || s.prefix != strings.TrimPrefix(strings.TrimPrefix(good+"/", "s3://lake/"), "/") {
			t.Errorf("%s: %+v, %v", good, s, err)
		}
	}
	for _, bad := range []string{"lake", "gs://lake/a", "s3:///a", "s3://lake/a?b=c", "s3://key:secret@lake/a", "https://lake/a"} {
		_, err := OpenStore(bad)
		expectProblem(t, err, "config", "no place in an object store")
	}
}
