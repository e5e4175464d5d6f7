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

// lieKind is a wrong answer that a real workspace may give and that no status shows. Each answer draws anew what it changes, so a second request
// may get another answer.
type lieKind struct {
	name  string
	tell  func(l *lyingProxy, r *http.Request, a *lyingAnswer)
	share []string // how often: share of records or of answers
}

// lyingAnswer is an answer on its way: its envelope with the records of its list, or its single record.
type lyingAnswer struct {
	status   int
	envelope map[string]json.RawMessage
	key      string // key of the list; "": the answer is one record
	records  []map[string]json.RawMessage
	asked    []byte // body of the request
}

// lieKinds are all wrong answers of the test; a world has one or several of them.
func lieKinds() []lieKind {
	often := []string{"0.05", "0.3"}
	return []lieKind{
		{"millis", (*lyingProxy).sendMillis, []string{"1"}},
		{"leave-out", (*lyingProxy).leaveOut, often},
		{"stub", (*lyingProxy).stubRecords, often},
		{"no-parts", (*lyingProxy).noParts, often},
		{"drop", (*lyingProxy).dropRecord, often},
		{"empty", (*lyingProxy).emptyPage, []string{"1", "0.5"}},
		{"overcount", (*lyingProxy).inflateTotal, []string{"1", "0.3"}},
		{"endless", (*lyingProxy).loopCursor, []string{"1"}},
		{"no-next", (*lyingProxy).noNext, []string{"1"}},
		{"unreadable", (*lyingProxy).failSomeRecords, []string{"0.1"}},
		{"twice", (*lyingProxy).repeatRecords, often},
		{"few-parts", (*lyingProxy).cutParts, []string{"0.05", "0.3", "1"}},
		{"another", (*lyingProxy).swapRecord, often},
		{"bad-in-batch", (*lyingProxy).failSomeBatches, []string{"0.1"}},
		{"stale-order", (*lyingProxy).moveRecords, []string{"0.3", "1"}},
	}
}

// lyingProxy stands in front of a workspace and changes its answers.
type lyingProxy struct {
	t     testing.TB
	space http.Handler

	mu         sync.Mutex // guards what follows
	dice       *rand.Rand
	activeLies map[string]float64                    // by lie: how often
	shown      map[string]map[string]json.RawMessage // by type: the last answer about one record
	heldBack   map[string]map[string]json.RawMessage // by cursor: a record of the page before, which comes with the cursor's page
}

// setLies sets the lies from now on: name=share, with commas between them.
func (l *lyingProxy) setLies(seed uint64, with string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dice, l.activeLies = rand.New(rand.NewPCG(seed, 11)), map[string]float64{}
	for part := range strings.SplitSeq(with, ",") {
		name, share, _ := strings.Cut(part, "=")
		if n, err := strconv.ParseFloat(share, 64); err == nil {
			l.activeLies[name] = n
		}
	}
}

// drawLie draws whether this answer has a lie.
func (l *lyingProxy) drawLie(name string) bool {
	share := l.activeLies[name]
	return share >= 1 || share > 0 && l.dice.Float64() < share
}

func (l *lyingProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.activeLies)+len(l.heldBack) == 0 || strings.Contains(r.URL.Path, "/export/") {
		l.space.ServeHTTP(w, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	// An invented cursor leads to the page before it.
	made := regexp.MustCompile(`~\d+`)
	body = made.ReplaceAll(body, nil)
	r.URL.RawQuery = made.ReplaceAllString(strings.ReplaceAll(r.URL.RawQuery, "%7E", "~"), "")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer := httptest.NewRecorder()
	l.space.ServeHTTP(answer, r)
	a := &lyingAnswer{status: answer.Code, asked: body}
	if answer.Code != http.StatusOK || !a.parseBody(answer.Body.Bytes()) {
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
		return
	}
	l.releaseRecord(r, a)
	for _, one := range lieKinds() {
		if l.activeLies[one.name] > 0 {
			one.tell(l, r, a)
		}
	}
	text := a.encodeBody(l.t)
	for name, values := range answer.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(text)
}

// parseBody parses an answer; false when it is no object.
func (a *lyingAnswer) parseBody(body []byte) bool {
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

// encodeBody encodes it again.
func (a *lyingAnswer) encodeBody(t testing.TB) []byte {
	if a.key == "" {
		return rawJSON(t, a.records[0])
	}
	if a.records == nil {
		a.records = []map[string]json.RawMessage{}
	}
	a.envelope[a.key] = rawJSON(t, a.records)
	return rawJSON(t, a.envelope)
}

// isSingleRecord reports whether the answer is one conversation, contact or ticket.
func (a *lyingAnswer) isSingleRecord() bool {
	return a.key == "" && slices.Contains([]string{`"conversation"`, `"contact"`, `"ticket"`}, string(a.envelope["type"]))
}

// isWalkedList reports whether a list is one of records that streams read to its end: not the notes of a contact, and not a list without a count.
func isWalkedList(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/search") || slices.Contains([]string{"/contacts/deleted", "/calls", "/news/news_items", "/folders"}, r.URL.Path)
}

// times are the fields with a time of the source.
var times = regexp.MustCompile(`"(created_at|updated_at|signed_up_at|last_seen_at|last_replied_at|last_contacted_at|notified_at|waiting_since|snoozed_until)":(\d{10})\b`)

func (l *lyingProxy) sendMillis(_ *http.Request, a *lyingAnswer) {
	for i, record := range a.records {
		var changed map[string]json.RawMessage
		if json.Unmarshal(times.ReplaceAll(rawJSON(l.t, record), []byte(`"$1":${2}000`)), &changed) == nil {
			if own := record["custom_attributes"]; own != nil {
				changed["custom_attributes"] = own
			}
			a.records[i] = changed
		}
	}
}

func (l *lyingProxy) leaveOut(r *http.Request, a *lyingAnswer) {
	if !a.isSingleRecord() && !strings.HasSuffix(r.URL.Path, "/search") {
		return
	}
	for _, record := range a.records {
		if !l.drawLie("leave-out") {
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

func (l *lyingProxy) stubRecords(r *http.Request, a *lyingAnswer) {
	if !a.isSingleRecord() && !strings.HasSuffix(r.URL.Path, "/contacts/search") {
		return
	}
	for i, record := range a.records {
		if l.drawLie("stub") {
			a.records[i] = map[string]json.RawMessage{"type": record["type"], "id": record["id"], "updated_at": record["updated_at"]}
		}
	}
}

func (l *lyingProxy) noParts(_ *http.Request, a *lyingAnswer) {
	for _, record := range a.records {
		if l.drawLie("no-parts") {
			delete(record, "conversation_parts")
			delete(record, "ticket_parts")
		}
	}
}

func (l *lyingProxy) dropRecord(r *http.Request, a *lyingAnswer) {
	if isWalkedList(r) && len(a.records) > 0 && l.drawLie("drop") {
		i := l.dice.IntN(len(a.records))
		a.records = slices.Delete(a.records, i, i+1)
	}
}

func (l *lyingProxy) emptyPage(r *http.Request, a *lyingAnswer) {
	if strings.HasSuffix(r.URL.Path, "/search") && l.drawLie("empty") {
		a.records, a.envelope["total_count"], a.envelope["pages"] = nil, rawJSON(l.t, 0), rawJSON(l.t, map[string]any{"next": nil})
	}
}

func (l *lyingProxy) inflateTotal(r *http.Request, a *lyingAnswer) {
	var total int
	if isWalkedList(r) && json.Unmarshal(a.envelope["total_count"], &total) == nil && l.drawLie("overcount") {
		a.envelope["total_count"] = rawJSON(l.t, total+1+l.dice.IntN(3))
	}
}

// loopCursor makes the last page of a list by cursors refer to itself, with a cursor that is new.
func (l *lyingProxy) loopCursor(r *http.Request, a *lyingAnswer) {
	if !strings.HasSuffix(r.URL.Path, "/search") || strings.Contains(string(a.envelope["pages"]), "starting_after") {
		return
	}
	a.envelope["pages"] = rawJSON(l.t, map[string]any{"next": map[string]any{"starting_after": "~" + strconv.Itoa(l.dice.IntN(1_000_000_000))}})
}

// noNext removes the end marker from the last page of a feed.
func (l *lyingProxy) noNext(r *http.Request, a *lyingAnswer) {
	if strings.HasSuffix(r.URL.Path, "/activities") && !strings.Contains(string(a.envelope["pages"]), "starting_after") {
		delete(a.envelope, "pages")
	}
}

// failSomeRecords refuses some records by id, always the same ones.
func (l *lyingProxy) failSomeRecords(_ *http.Request, a *lyingAnswer) {
	if !a.isSingleRecord() {
		return
	}
	h := fnv.New32a()
	_, _ = h.Write(a.envelope["id"])
	if h.Sum32()%10 == 0 {
		a.status, a.records[0] = http.StatusInternalServerError, map[string]json.RawMessage{"error": rawJSON(l.t, "boom")}
	}
}

// repeatRecords sends some records twice, with an older copy last.
func (l *lyingProxy) repeatRecords(r *http.Request, a *lyingAnswer) {
	if !strings.HasSuffix(r.URL.Path, "/search") {
		return
	}
	for _, record := range slices.Clone(a.records) {
		var at int64
		if json.Unmarshal(record["updated_at"], &at) != nil || !l.drawLie("twice") {
			continue
		}
		older := map[string]json.RawMessage{}
		for name, value := range record {
			older[name] = value
		}
		older["updated_at"], older["name"], older["title"] = rawJSON(l.t, at-1), rawJSON(l.t, "an older name"), rawJSON(l.t, "an older title")
		a.records = append(a.records, older)
	}
}

// cutParts removes some or all parts of a conversation or ticket, and keeps their count.
func (l *lyingProxy) cutParts(_ *http.Request, a *lyingAnswer) {
	for _, record := range a.records {
		for _, name := range []string{"conversation_parts", "ticket_parts"} {
			var parts map[string]json.RawMessage
			var list []json.RawMessage
			if json.Unmarshal(record[name], &parts) != nil || json.Unmarshal(parts[name], &list) != nil || len(list) == 0 || !l.drawLie("few-parts") {
				continue
			}
			parts[name] = rawJSON(l.t, [][]json.RawMessage{{}, list[:len(list)/2], list[(len(list)+1)/2:]}[l.dice.IntN(3)])
			record[name] = rawJSON(l.t, parts)
		}
	}
}

// swapRecord answers a request for one record with the record of the request before.
func (l *lyingProxy) swapRecord(_ *http.Request, a *lyingAnswer) {
	if !a.isSingleRecord() {
		return
	}
	kind, own := string(a.envelope["type"]), a.records[0]
	if before := l.shown[kind]; before != nil && l.drawLie("another") {
		a.records[0] = before
	}
	if l.shown == nil {
		l.shown = map[string]map[string]json.RawMessage{}
	}
	l.shown[kind] = own
}

// failSomeBatches refuses the requests for several ids that name some id, always the same ones.
func (l *lyingProxy) failSomeBatches(r *http.Request, a *lyingAnswer) {
	var asked struct {
		IDs []string `json:"conversation_ids"`
	}
	if !strings.HasSuffix(r.URL.Path, "/calls/search") || json.Unmarshal(a.asked, &asked) != nil {
		return
	}
	for _, id := range asked.IDs {
		h := fnv.New32a()
		_, _ = h.Write([]byte(id))
		if h.Sum32()%10 == 0 {
			a.status, a.key, a.records = http.StatusInternalServerError, "", []map[string]json.RawMessage{{"error": rawJSON(l.t, "boom")}}
		}
	}
}

// cursorOf returns the cursor that a search request names.
func cursorOf(asked []byte) string {
	var with struct {
		Pagination struct {
			After string `json:"starting_after"`
		}
	}
	if json.Unmarshal(asked, &with) != nil {
		return ""
	}
	return with.Pagination.After
}

// moveRecords orders a search by times that are older than those that the records show: contacts come as they are by now, the last record of a
// page comes first, and another one comes with the next page. No record is lost, and the counts stay right.
func (l *lyingProxy) moveRecords(r *http.Request, a *lyingAnswer) {
	if !strings.HasSuffix(r.URL.Path, "/search") || len(a.records) < 3 || !l.drawLie("stale-order") {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/contacts/search") {
		for i, record := range a.records {
			if now := l.presentContact(r, record); now != nil && l.drawLie("stale-order") {
				a.records[i] = now
			}
		}
	}
	last := len(a.records) - 1
	a.records = append(a.records[last:last+1:last+1], a.records[:last]...)
	var pages struct {
		Next *struct {
			After string `json:"starting_after"`
		}
	}
	if json.Unmarshal(a.envelope["pages"], &pages) != nil || pages.Next == nil || pages.Next.After == "" {
		return
	}
	if l.heldBack == nil {
		l.heldBack = map[string]map[string]json.RawMessage{}
	}
	i := l.dice.IntN(len(a.records))
	l.heldBack[pages.Next.After] = a.records[i]
	a.records = slices.Delete(a.records, i, i+1)
}

// presentContact is a contact as its own answer has it at this moment, nil where there is none.
func (l *lyingProxy) presentContact(r *http.Request, record map[string]json.RawMessage) (now map[string]json.RawMessage) {
	id := strings.Trim(string(record["id"]), `"`)
	by := httptest.NewRequest(http.MethodGet, "/contacts/"+id, nil)
	by.Header = r.Header.Clone()
	answer := httptest.NewRecorder()
	l.space.ServeHTTP(answer, by)
	if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &now) != nil || string(now["id"]) != string(record["id"]) {
		return nil
	}
	return now
}

// releaseRecord adds the record that was held back for a page. It stays there, also when no answer is wrong any more.
func (l *lyingProxy) releaseRecord(r *http.Request, a *lyingAnswer) {
	if record := l.heldBack[cursorOf(a.asked)]; record != nil && a.key != "" && strings.HasSuffix(r.URL.Path, "/search") {
		a.records = append(a.records, record)
	}
}
