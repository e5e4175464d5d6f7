package remote

import (
	"strings"
	"testing"

	"aqueduck/load/layout"
)

// TestAPlaceThatIsNamedAgainGetsTheNewFile: a warehouse was sent to another place for a while, and erased a person there. Back in the first place its stale
// files are replaced. Where another machine has sent a file there meanwhile, none is.
// Holds: P2, P8.
func TestAPlaceThatIsNamedAgainGetsTheNewFile(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	m := b.machine()
	first, second := *m.store, *m.store
	second.prefix, second.place = "other/", "s3://lake/other"
	sendTo := func(s Store, name string, content string) {
		t.Helper()
		m.store = &s
		m.take()
		m.publish(name, []byte(content))
		m.send(0)
		if state := ReadState(m.dir); state == nil || state.Place != s.place || !state.Whole {
			t.Errorf("the state is %+v", state)
		}
	}
	sendTo(first, "one.duckdb", "one with the person")
	sendTo(second, "two.duckdb", "two with the person")
	must(t, layout.ReplaceFile(m.dir, m.dir.Erasures(), []byte(saltLine+personLine)))
	sendTo(second, "three.duckdb", "three")
	sendTo(first, "four.duckdb", "four")
	if content := b.content(); strings.Contains(content, "with the person") || !strings.Contains(content, "four") {
		t.Errorf("the first place has\n%s", content)
	}
	if head, err := m.store.readHead(t.Context()); err != nil || head.File.Name != "four.duckdb" || head.Epoch != 3 || head.Unclean || len(head.Older) > 0 {
		t.Errorf("the head is %+v, %v", head, err)
	}
	m.store = &second
	m.take()
	m.send(0) // the same file as in the first place
	m.store = &first
	other := b.machine()
	other.take()
	other.publish("five.duckdb", []byte("five"))
	other.send(0)
	_, err := m.store.Take(t.Context(), m.dir, instant)
	expectProblem(t, err, "config", "has data that was never in s3://lake/w")
	m.expectCurrent("four.duckdb", []byte("four"))
}
