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

// contact is a record of the tests' workspace.
type contact struct {
	id string
	at int64
}

// workspace is a small API of contacts whose search works as the document says. It is exact where the tests need it: what a
// day is, when a cursor dies.
type workspace struct {
	*fakeAPI
	mu       sync.Mutex // guards what follows
	contacts []contact
	days     *time.Location   // where "=" and ">" mean days of this zone; nil: seconds
	indexed  *time.Location   // where records lie in the days of another zone than the question means; nil: in those of days
	cursors  map[string]int   // cursor: requests it will live; nil: for ever
	life     int              // requests that a new cursor lives; 0: for ever
	shuffle  bool             // pays no heed to the order asked for
	now      map[string]int64 // times that records have by now, where search still has older ones
	untold   bool             // says nothing of how many records there are
	millis   bool             // tells times in milliseconds
	short    int              // records at the end of a list that it counts and does not give
	between  func(n int)      // runs before the nth request, from 1
	n        int
}

func newWorkspace(t testing.TB, contacts ...contact) *workspace {
	t.Helper()
	ws := &workspace{contacts: contacts, cursors: map[string]int{}}
	ws.fakeAPI = serve(t, ws.handle)
	return ws
}

func (ws *workspace) touch(id string, at int64) {
	for i := range ws.contacts {
		if ws.contacts[i].id == id {
			ws.contacts[i].at = at
			return
		}
	}
	ws.contacts = append(ws.contacts, contact{id, at})
}

func (ws *workspace) handle(w http.ResponseWriter, _ *http.Request, body string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.n++
	if ws.between != nil {
		ws.between(ws.n)
	}
	var q struct {
		Query      condition
		Sort       struct{ Field, Order string }
		Pagination struct {
			PerPage       int    `json:"per_page"`
			StartingAfter string `json:"starting_after"`
		}
	}
	if err := json.Unmarshal([]byte(body), &q); err != nil || !q.Query.documented() || q.Sort.Order != "ascending" {
		apitest.Reply(w, `400 {"type":"error.list","errors":[{"code":"parameter_invalid","message":"query"}]}`)
		return
	}
	var found []contact
	for _, c := range ws.contacts {
		if ws.matches(c.at, &q.Query) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b contact) int {
		if a.at != b.at && !ws.shuffle {
			return int(a.at - b.at)
		}
		return strings.Compare(a.id, b.id)
	})
	ws.page(w, found, q.Pagination.StartingAfter, q.Pagination.PerPage)
}

// condition is a filter of a search, or a group of them.
type condition struct {
	Field, Operator string
	Value           json.RawMessage
}

// within are the conditions of a group; nil when it is a filter.
func (c *condition) within() (list []condition) {
	if c.Field == "" {
		_ = json.Unmarshal(c.Value, &list) // what is no list has no conditions, which documented refuses
	}
	return list
}

// documented reports whether a search is one of the two that are asked: from a time on, and from a time on up to another.
func (c *condition) documented() bool {
	from := c.within()
	if c.Operator == "AND" && len(from) == 2 && from[1].Field != "" && from[1].Operator == "<" {
		c, from = &from[0], from[0].within()
	}
	return c.Operator == "OR" && len(from) == 2 && from[0].Operator == "=" && from[1].Operator == ">"
}

func (ws *workspace) matches(at int64, c *condition) bool {
	if list := c.within(); list != nil {
		fits := func(one condition) bool { return ws.matches(at, &one) }
		if c.Operator == "AND" {
			return !slices.ContainsFunc(list, func(one condition) bool { return !fits(one) })
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

// page gives the records after the one that the cursor names by its sort key, so that a record that moves is not lost.
func (ws *workspace) page(w http.ResponseWriter, found []contact, cursor string, size int) {
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
		i := slices.IndexFunc(found, func(c contact) bool {
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
		if ws.millis {
			at *= 1000
		}
		records = append(records, record(c.id, at))
	}
	if next == nil {
		records = records[:max(0, len(records)-ws.short)]
	}
	if ws.untold {
		total = -1
	}
	apitest.Reply(w, envelopeOf(records, total, next))
}

// ids of the workspace's contacts, sorted.
func (ws *workspace) ids() []string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var ids []string
	for _, c := range ws.contacts {
		ids = append(ids, c.id)
	}
	slices.Sort(ids)
	return ids
}

// distinct sorts and takes out what is there twice.
func distinct(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
