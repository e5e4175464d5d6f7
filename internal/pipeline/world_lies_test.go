package pipeline_test

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// lie is something that answers of a real workspace may do, and that no status tells. What it changes of an answer is drawn anew for
// each: asked again, the source may say something else.
type lie struct {
	name  string
	tell  func(l *liar, r *http.Request, a *lying)
	share []string // how often: of records, of answers
}

// lying is an answer on its way: its envelope, and the records of its list, or the one record that it is.
type lying struct {
	status   int
	envelope map[string]json.RawMessage
	key      string // of the list; "": the answer is one record
	records  []map[string]json.RawMessage
}

// lies are all that a world may have, one of them or several at once.
func lies() []lie {
	often := []string{"0.05", "0.3"}
	return []lie{
		{"millis", (*liar).millis, []string{"1"}},
		{"leave-out", (*liar).leaveOut, often},
		{"stub", (*liar).stub, often},
		{"no-parts", (*liar).noParts, often},
		{"drop", (*liar).drop, often},
		{"empty", (*liar).empty, []string{"1", "0.5"}},
		{"overcount", (*liar).overcount, []string{"1", "0.3"}},
		{"endless", (*liar).endless, []string{"1"}},
		{"no-next", (*liar).noNext, []string{"1"}},
		{"unreadable", (*liar).unreadable, []string{"0.1"}},
		{"twice", (*liar).twice, often},
	}
}

// liar stands before a workspace and changes what it answers.
type liar struct {
	t     testing.TB
	space http.Handler

	mu   sync.Mutex // guards what follows
	dice *rand.Rand
	told map[string]float64 // lies that are told, and how often
}

// say sets what is told from now on: name=share, with commas between them.
func (l *liar) say(seed uint64, with string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dice, l.told = rand.New(rand.NewPCG(seed, 11)), map[string]float64{}
	for part := range strings.SplitSeq(with, ",") {
		name, share, _ := strings.Cut(part, "=")
		if n, err := strconv.ParseFloat(share, 64); err == nil {
			l.told[name] = n
		}
	}
}

// chance draws whether a lie is told this time.
func (l *liar) chance(name string) bool {
	share := l.told[name]
	return share >= 1 || share > 0 && l.dice.Float64() < share
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.told) == 0 || strings.Contains(r.URL.Path, "/export/") {
		l.space.ServeHTTP(w, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	// A cursor that was made up leads to the page before it.
	made := regexp.MustCompile(`~\d+`)
	body = made.ReplaceAll(body, nil)
	r.URL.RawQuery = made.ReplaceAllString(strings.ReplaceAll(r.URL.RawQuery, "%7E", "~"), "")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer := httptest.NewRecorder()
	l.space.ServeHTTP(answer, r)
	a := &lying{status: answer.Code}
	if answer.Code != http.StatusOK || !a.parse(answer.Body.Bytes()) {
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
		return
	}
	for _, one := range lies() {
		if l.told[one.name] > 0 {
			one.tell(l, r, a)
		}
	}
	text := a.text(l.t)
	for name, values := range answer.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(text)
}

// parse takes an answer apart; false where it is no object.
func (a *lying) parse(body []byte) bool {
	if json.Unmarshal(body, &a.envelope) != nil {
		return false
	}
	for _, key := range []string{"data", "conversations", "tickets", "activity_logs", "segments", "teams", "tags"} {
		if list := a.envelope[key]; len(list) > 0 && list[0] == '[' && a.envelope["id"] == nil {
			a.key = key
			return json.Unmarshal(list, &a.records) == nil
		}
	}
	a.records = []map[string]json.RawMessage{a.envelope}
	return true
}

// text puts it together again.
func (a *lying) text(t testing.TB) []byte {
	if a.key == "" {
		return raw(t, a.records[0])
	}
	if a.records == nil {
		a.records = []map[string]json.RawMessage{}
	}
	a.envelope[a.key] = raw(t, a.records)
	return raw(t, a.envelope)
}

// single reports whether the answer is one conversation, contact or ticket.
func (a *lying) single() bool {
	return a.key == "" && slices.Contains([]string{`"conversation"`, `"contact"`, `"ticket"`}, string(a.envelope["type"]))
}

// walked reports whether a list is one that is walked for its records: not the notes of a contact, nor a list that has no count.
func walked(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/search") || slices.Contains([]string{"/contacts/deleted", "/calls", "/news/news_items", "/folders"}, r.URL.Path)
}

// times are the fields that hold a time of the source's own.
var times = regexp.MustCompile(`"(created_at|updated_at|signed_up_at|last_seen_at|last_replied_at|last_contacted_at|notified_at|waiting_since|snoozed_until)":(\d{10})\b`)

func (l *liar) millis(_ *http.Request, a *lying) {
	for i, record := range a.records {
		var changed map[string]json.RawMessage
		if json.Unmarshal(times.ReplaceAll(raw(l.t, record), []byte(`"$1":${2}000`)), &changed) == nil {
			if own := record["custom_attributes"]; own != nil {
				changed["custom_attributes"] = own
			}
			a.records[i] = changed
		}
	}
}

func (l *liar) leaveOut(r *http.Request, a *lying) {
	if !a.single() && !strings.HasSuffix(r.URL.Path, "/search") {
		return
	}
	for _, record := range a.records {
		if !l.chance("leave-out") {
			continue
		}
		var names []string
		for name, value := range record {
			if value[0] == '{' || value[0] == '[' {
				names = append(names, name)
			}
		}
		if slices.Sort(names); len(names) > 0 {
			delete(record, names[l.dice.IntN(len(names))])
		}
	}
}

func (l *liar) stub(r *http.Request, a *lying) {
	if !a.single() && !strings.HasSuffix(r.URL.Path, "/contacts/search") {
		return
	}
	for i, record := range a.records {
		if l.chance("stub") {
			a.records[i] = map[string]json.RawMessage{"type": record["type"], "id": record["id"], "updated_at": record["updated_at"]}
		}
	}
}

func (l *liar) noParts(_ *http.Request, a *lying) {
	for _, record := range a.records {
		if l.chance("no-parts") {
			delete(record, "conversation_parts")
			delete(record, "ticket_parts")
		}
	}
}

func (l *liar) drop(r *http.Request, a *lying) {
	if walked(r) && len(a.records) > 0 && l.chance("drop") {
		i := l.dice.IntN(len(a.records))
		a.records = slices.Delete(a.records, i, i+1)
	}
}

func (l *liar) empty(r *http.Request, a *lying) {
	if strings.HasSuffix(r.URL.Path, "/search") && l.chance("empty") {
		a.records, a.envelope["total_count"], a.envelope["pages"] = nil, raw(l.t, 0), raw(l.t, map[string]any{"next": nil})
	}
}

func (l *liar) overcount(r *http.Request, a *lying) {
	var total int
	if walked(r) && json.Unmarshal(a.envelope["total_count"], &total) == nil && l.chance("overcount") {
		a.envelope["total_count"] = raw(l.t, total+1+l.dice.IntN(3))
	}
}

// endless lets the last page of a list by cursors lead to itself, by a cursor that nobody has seen.
func (l *liar) endless(r *http.Request, a *lying) {
	if !strings.HasSuffix(r.URL.Path, "/search") || strings.Contains(string(a.envelope["pages"]), "starting_after") {
		return
	}
	a.envelope["pages"] = raw(l.t, map[string]any{"next": map[string]any{"starting_after": "~" + strconv.Itoa(l.dice.IntN(1_000_000_000))}})
}

// noNext lets the last page of a feed say nothing of its end.
func (l *liar) noNext(r *http.Request, a *lying) {
	if strings.HasSuffix(r.URL.Path, "/activities") && !strings.Contains(string(a.envelope["pages"]), "starting_after") {
		delete(a.envelope, "pages")
	}
}

// unreadable refuses some records by id, always the same ones.
func (l *liar) unreadable(_ *http.Request, a *lying) {
	if !a.single() {
		return
	}
	h := fnv.New32a()
	_, _ = h.Write(a.envelope["id"])
	if h.Sum32()%10 == 0 {
		a.status, a.records[0] = http.StatusInternalServerError, map[string]json.RawMessage{"error": raw(l.t, "boom")}
	}
}

// twice gives some records a second time, with an older copy last.
func (l *liar) twice(r *http.Request, a *lying) {
	if !strings.HasSuffix(r.URL.Path, "/search") {
		return
	}
	for _, record := range slices.Clone(a.records) {
		var at int64
		if json.Unmarshal(record["updated_at"], &at) != nil || !l.chance("twice") {
			continue
		}
		older := map[string]json.RawMessage{}
		for name, value := range record {
			older[name] = value
		}
		older["updated_at"], older["name"], older["title"] = raw(l.t, at-1), raw(l.t, "an older name"), raw(l.t, "an older title")
		a.records = append(a.records, older)
	}
}
