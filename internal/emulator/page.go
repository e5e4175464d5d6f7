package emulator

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"html/template"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/oracle"
	"aqueduck/internal/emulator/webhook"
)

//go:embed page.css
var pageStyle string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"class": statusClass, "word": statusWord}).Parse(pageText))

// pagePolicy lets the page have its own style and nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// shownLast is how many requests, and how many notifications, the page has.
const shownLast = 25

// view is what the page shows.
type view struct {
	Workspace, Zone, Version, Curl, Chaos string
	Seed                                  uint64
	Style                                 template.CSS
	State                                 State
	NoLog                                 bool
	Kinds                                 []kindCount
	Routes                                []routeCount
	Faults                                []wordCount
	Requests, Faulty                      []LoggedRequest // the newest first
	Hooks                                 int
	Deliveries                            []webhook.Delivery // the newest first
}

type kindCount struct {
	Name  string
	Count int
	Link  string
}

// routeCount is how the requests to a route were answered.
type routeCount struct {
	Name   string
	Counts []wordCount
}

type wordCount struct {
	Word  string
	Count int
	Class int // of the status, as 2
}

// page is GET / for who looks with a browser on this machine. A name that leads here from elsewhere is not served: another page could
// have it resolved to this machine and read what is here.
func (w *Workspace) page(rw http.ResponseWriter, r *http.Request) {
	h := rw.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if !isLoopback(r.Host) {
		http.Error(rw, "this page is for who sits at the machine: ask for it at 127.0.0.1 or localhost", http.StatusForbidden)
		return
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, w.view(r.Host)); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(b.Bytes()) // the client may have gone away
}

// isLoopback says whether a Host is a name of this machine itself.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

func (w *Workspace) view(host string) *view {
	v := &view{State: w.State(), Seed: w.cfg.Seed, Version: w.opts.DefaultVersion, NoLog: w.opts.NoLog, Style: template.CSS(pageStyle)}
	w.mu.Lock()
	v.Workspace, v.Zone, v.Chaos = w.workspace, w.zone.String(), w.k().Chaos
	v.Curl = "curl -sS -H " + shellWord("Authorization: Bearer "+w.token) + " " + shellWord("http://"+host+"/contacts?per_page=2")
	v.Kinds = w.kinds(&v.State)
	v.asked(w.requests)
	notifier := w.notifier
	w.mu.Unlock()
	if notifier != nil {
		v.Hooks, v.Deliveries = len(notifier.hooks), notifier.Deliveries()
		slices.Reverse(v.Deliveries)
		v.Deliveries = v.Deliveries[:min(shownLast, len(v.Deliveries))]
	}
	return v
}

// shellWord is a word as a shell takes it, whatever is in it.
func shellWord(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// kinds counts what there is. Rows are read where no token is needed: at the oracle. The lock is held.
func (w *Workspace) kinds(s *State) []kindCount {
	calls := 0
	for i := range w.calls {
		if isListed(&w.calls[i], w.now()) {
			calls++
		}
	}
	list := []kindCount{{Name: "contacts", Count: s.Active}, {Name: "deleted_contacts", Count: s.Inactive}, {Name: "contact_activities", Count: s.Activities},
		{Name: "companies", Count: len(w.firms)}, {Name: "conversations", Count: s.Conversations}, {Name: "deleted_conversations", Count: len(w.buried)},
		{Name: "tickets", Count: s.Tickets}, {Name: "calls", Count: calls}, {Name: "admin_activity_logs", Count: len(w.acts)}}
	for kind, name := range contentNames {
		list = append(list, kindCount{Name: name, Count: len(w.standing(event.ContentKind(kind)))})
	}
	o := oracle.New(w.log(), w.now())
	for _, name := range []string{"segments", "tags", "admins", "teams", "subscription_types", "data_attributes", "ticket_types", "ticket_states", "away_status_reasons"} {
		list = append(list, kindCount{Name: name})
		for range o.Rows(name) {
			list[len(list)-1].Count++
		}
	}
	for i := range list {
		list[i].Link = "/_oracle/" + list[i].Name
	}
	return append(list, kindCount{Name: "jobs", Count: len(w.jobs)})
}

// asked counts the requests of a log, oldest first, and keeps the newest.
func (v *view) asked(log []LoggedRequest) {
	routes, faults := map[string]map[int]int{}, map[string]int{}
	for i := range log {
		e := &log[i]
		name := cmp.Or(e.Route, "none")
		if asked, _, _ := find(e.Method, e.Path); asked != nil {
			name = asked.name // also where nothing was looked up, since a fault came before, or the token was none
		}
		if routes[name] == nil {
			routes[name] = map[int]int{}
		}
		routes[name][e.Status]++
		if e.Fault != "" {
			faults[e.Fault]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		one := routeCount{Name: name}
		for _, status := range slices.Sorted(maps.Keys(routes[name])) {
			one.Counts = append(one.Counts, wordCount{statusWord(status), routes[name][status], statusClass(status)})
		}
		v.Routes = append(v.Routes, one)
	}
	for _, word := range slices.Sorted(maps.Keys(faults)) {
		v.Faults = append(v.Faults, wordCount{Word: word, Count: faults[word]})
	}
	for i := len(log) - 1; i >= 0 && (len(v.Requests) < shownLast || len(v.Faulty) < shownLast); i-- {
		if len(v.Requests) < shownLast {
			v.Requests = append(v.Requests, log[i])
		}
		if log[i].Fault != "" && len(v.Faulty) < shownLast {
			v.Faulty = append(v.Faulty, log[i])
		}
	}
}

func statusClass(status int) int { return status / 100 }

// statusWord is a status, or what stands for none.
func statusWord(status int) string {
	if status == 0 {
		return "cut"
	}
	return strconv.Itoa(status)
}
