package emulator_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// listWalker reads lists to their ends over kept connections, and decodes no more of an answer than it needs.
type listWalker struct {
	t     testing.TB
	token string
	url   string
	http  http.Client
	gzip  bool   // requests compressed answers, and does not decode them
	last  string // the last request body
}

func newWalker(t testing.TB, w *emulator.Workspace) *listWalker {
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return &listWalker{t: t, token: w.AccessToken(), url: server.URL, http: http.Client{Transport: &http.Transport{DisableCompression: true}}}
}

func (k *listWalker) sendRequest(method, path, body string) []byte {
	r, err := http.NewRequest(method, k.url+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+k.token)
	if k.last = body; k.gzip {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	res, err := k.http.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		k.t.Fatalf("%s %s: %d %v %.200s", method, path, res.StatusCode, err, answer)
	}
	return answer
}

const everySecond = `"query":{"operator":"OR","value":[{"field":"updated_at","operator":"=","value":1000000000},` +
	`{"field":"updated_at","operator":">","value":1000000000}]},"sort":{"field":"updated_at","order":"ascending"}`

// walkSearch walks a search to its end and passes each page on.
func (k *listWalker) walkSearch(path string, page func(answer []byte)) {
	for after := ""; ; {
		answer := k.sendRequest("POST", path, `{`+everySecond+`,"pagination":{"per_page":150`+after+`}}`)
		page(answer)
		_, next, more := bytes.Cut(answer[max(0, len(answer)-600):], []byte(`"starting_after":"`))
		if !more {
			return
		}
		cursor, _, _ := bytes.Cut(next, []byte(`"`))
		after = `,"starting_after":"` + string(cursor) + `"`
	}
}

// peakMemory returns the largest memory of this process so far, in MiB.
func peakMemory(t testing.TB) int {
	status, err := os.ReadFile("/proc/self/status")
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if err != nil || found == nil {
		t.Skip("this system does not tell the peak of a process's memory")
	}
	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kb >> 10
}

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestAMillionContactsLiveInFourGiB builds a workspace of a million contacts and ten million parts, and reads it to its end. Without
// AQUEDUCK_LONG it is a small one. The limit includes the memory of the reader in the same process.
func TestAMillionContactsLiveInFourGiB(t *testing.T) {
	contacts, conversations := 1000, 1000
	if os.Getenv("AQUEDUCK_LONG") != "" {
		contacts, conversations = 1_000_000, 1_000_000
		defer debug.SetGCPercent(debug.SetGCPercent(40)) // the program's own setting
	}
	began := cpuTime()
	say := func(what string) {
		t.Logf("%-36s %7.1f CPU-s, peak %5d MiB", what, (cpuTime() - began).Seconds(), peakMemory(t))
		began = cpuTime()
	}
	w := emulator.New(emulator.Config{Seed: 1, Contacts: contacts, Conversations: conversations, NoLog: true})
	say("made")
	k := newWalker(t, w)
	n := 0
	k.walkSearch("/contacts/search", func(answer []byte) { n += bytes.Count(answer, []byte(`{"type":"contact","id":`)) })
	if n != contacts {
		t.Errorf("search gave %d contacts of %d", n, contacts)
	}
	say("contacts searched to the end")
	var ids []string
	n = 0
	parts := 0
	partCount := regexp.MustCompile(`"count_conversation_parts":(\d+)`)
	k.walkSearch("/conversations/search", func(answer []byte) {
		n += bytes.Count(answer, []byte(`"ai_agent_participated":`))
		for _, found := range partCount.FindAllSubmatch(answer, -1) {
			size, _ := strconv.Atoi(string(found[1])) // digits
			parts += size
		}
		_, id, _ := bytes.Cut(answer, []byte(`{"type":"conversation","id":"`))
		ids = append(ids, string(id[:bytes.IndexByte(id, '"')]))
	})
	if n != conversations || parts < 10*conversations {
		t.Errorf("search gave %d conversations of %d with %d parts", n, conversations, parts)
	}
	say(fmt.Sprintf("conversations searched, %.1f M parts", float64(parts)/1e6))
	for _, id := range ids {
		k.sendRequest("GET", "/conversations/"+id, "")
	}
	say(fmt.Sprintf("%d conversations by id", len(ids)))
	w.SimulateHours(1)
	k.walkSearch("/contacts/search", func([]byte) {})
	say("an hour lived, contacts once more")
	if most := peakMemory(t); most > 4096 {
		t.Errorf("%d MiB of memory, more than 4 GiB", most)
	}
}
