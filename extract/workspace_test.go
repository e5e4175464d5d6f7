package extract

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/extract/internal/apitest"
)

// testContact is a record of a testWorkspace.
type testContact struct {
	id string
	at int64
}

// testWorkspace is a small API of contacts with search as documented. Tests set its days, its cursors and its faults exactly.
type testWorkspace struct {
	*fakeAPI
	mu       sync.Mutex // guards what follows
	contacts []testContact
	days     *time.Location   // zone of the days that "=" and ">" compare; nil: seconds
	indexed  *time.Location   // zone of the days in the index, if another than that of the request; nil: days
	cursors  map[string]int   // by cursor: requests that it is still valid for; nil: cursors do not expire
	life     int              // requests that a new cursor is valid for; 0: unlimited
	shuffle  bool             // ignores the requested order
	now      map[string]int64 // present times of records for which search still has older ones
	untold   bool             // sends no total_count
	parts    int64            // parts of a second in which it sends times; 0: seconds
	short    int              // records at the end of a list that it counts and does not send
	between  func(n int)      // runs before the nth request, from 1
	n        int
}

func newWorkspace(t testing.TB, contacts ...testContact) *testWorkspace {
	t.Helper()
	ws := &testWorkspace{contacts: contacts, cursors: map[string]int{}}
	ws.fakeAPI = serveAPI(t, ws.serveSearch)
	return ws
}

func (ws *testWorkspace) touchContact(id string, at int64) {
	for i := range ws.contacts {
		if ws.contacts[i].id == id {
			ws.contacts[i].at = at
			return
		}
	}
	ws.contacts = append(ws.contacts, testContact{id, at})
}

func (ws *testWorkspace) serveSearch(w http.ResponseWriter, _ *http.Request, body string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.n++
	if ws.between != nil {
		ws.between(ws.n)
	}
	var q struct {
		Query      searchCondition
		Sort       struct{ Field, Order string }
		Pagination struct {
			PerPage       int    `json:"per_page"`
			StartingAfter string `json:"starting_after"`
		}
	}
	if err := json.Unmarshal([]byte(body), &q); err != nil || !q.Query.isDocumented() || q.Sort.Order != "ascending" {
		apitest.Reply(w, `400 {"type":"error.list","errors":[{"code":"parameter_invalid","message":"query"}]}`)
		return
	}
	var found []testContact
	for _, c := range ws.contacts {
		if ws.matchesCondition(c.at, &q.Query) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b testContact) int {
		if a.at != b.at && !ws.shuffle {
			return int(a.at - b.at)
		}
		return strings.Compare(a.id, b.id)
	})
	ws.writePage(w, found, q.Pagination.StartingAfter, q.Pagination.PerPage)
}

// searchCondition is a filter of a search, or a group of them.
type searchCondition struct {
	Field, Operator string
	Value           json.RawMessage
}

// nestedConditions are the conditions of a group; nil when it is a filter.
func (c *searchCondition) nestedConditions() (list []searchCondition) {
	if c.Field == "" {
		_ = json.Unmarshal(c.Value, &list) // anything but a list has no conditions, and isDocumented refuses it
	}
	return list
}

// isDocumented reports whether a search is one of the two that readers send: from a time on, or between two times.
func (c *searchCondition) isDocumented() bool {
	from := c.nestedConditions()
	if c.Operator == "AND" && len(from) == 2 && from[1].Field != "" && from[1].Operator == "<" {
		c, from = &from[0], from[0].nestedConditions()
	}
	return c.Operator == "OR" && len(from) == 2 && from[0].Operator == "=" && from[1].Operator == ">"
}

func (ws *testWorkspace) matchesCondition(at int64, c *searchCondition) bool {
	if list := c.nestedConditions(); list != nil {
		fits := func(one searchCondition) bool { return ws.matchesCondition(at, &one) }
		if c.Operator == "AND" {
			return !slices.ContainsFunc(list, func(one searchCondition) bool { return !fits(one) })
		}
		return slices.ContainsFunc(list, fits)
	}
	value, err := strconv.ParseInt(string(c.Value), 10, 64)
	if err != nil {
		return false
	}
	order := cmp.Compare(at, value)
	if ws.days != nil {
		day := func(s int64, z *time.Location) string { return time.Unix(s, 0).In(z).Format(time.DateOnly) }
		order = cmp.Compare(day(at, cmp.Or(ws.indexed, ws.days)), day(value, ws.days))
	}
	return order == map[string]int{"<": -1, "=": 0, ">": 1}[c.Operator]
}

// writePage gives the records after the one that the cursor names by its sort key, so that a record that moves is not lost.
func (ws *testWorkspace) writePage(w http.ResponseWriter, found []testContact, cursor string, size int) {
	total := len(found)
	if cursor != "" {
		if ws.life > 0 {
			if ws.cursors[cursor]--; ws.cursors[cursor] < 0 {
				apitest.Reply(w, errClient)
				return
			}
		}
		at, id, _ := strings.Cut(cursor, "|")
		seconds, _ := strconv.ParseInt(at, 10, 64)
		i := slices.IndexFunc(found, func(c testContact) bool {
			return !ws.shuffle && c.at > seconds || (ws.shuffle || c.at == seconds) && c.id > id
		})
		if i < 0 {
			i = len(found)
		}
		found = found[i:]
	}
	var next any
	if len(found) > size {
		found = found[:size]
		c := found[size-1]
		token := strconv.FormatInt(c.at, 10) + "|" + c.id
		ws.cursors[token] = ws.life
		next = map[string]any{"starting_after": token}
	}
	var records []string
	for _, c := range found {
		at := cmp.Or(ws.now[c.id], c.at)
		at *= max(1, ws.parts)
		records = append(records, contactJSON(c.id, at))
	}
	if next == nil {
		records = records[:max(0, len(records)-ws.short)]
	}
	if ws.untold {
		total = -1
	}
	apitest.Reply(w, envelopeOf(records, total, next))
}

// contactIDs of the workspace's contacts, sorted.
func (ws *testWorkspace) contactIDs() []string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var ids []string
	for _, c := range ws.contacts {
		ids = append(ids, c.id)
	}
	slices.Sort(ids)
	return ids
}

// sortedDistinct sorts and takes out what is there twice.
func sortedDistinct(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
