package control

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

//go:embed page.css
var pageStyle string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"class": statusClass, "word": statusWord}).Parse(pageText))

// pagePolicy allows the page its own style and nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// shownLast is how many requests, and how many notifications, the page shows.
const shownLast = 25

// pageView is the data of the page.
type pageView struct {
	Shown
	State            WorkspaceState
	Curl             string
	Style            template.CSS
	Routes           []routeCount
	Faults           []wordCount
	Requests, Faulty []Request // the newest first
}

// routeCount counts the answers of one route.
type routeCount struct {
	Name   string
	Counts []wordCount
}

type wordCount struct {
	Word  string
	Count int
	Class int // of the status, as 2
}

// ServePage serves GET / for a browser on this machine. It serves no other host name: a page elsewhere could resolve its name to this machine
// and read the answer (DNS rebinding).
func (s *Server) ServePage(rw http.ResponseWriter, r *http.Request) {
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
	if err := pageTemplate.Execute(&b, s.buildPageView(r.Host)); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(b.Bytes()) // the client may have disconnected
}

func (s *Server) buildPageView(host string) *pageView {
	v := &pageView{Shown: s.w.PageData(), State: s.w.CurrentState(), Style: template.CSS(pageStyle)}
	v.Curl = "curl -sS -H " + shellWord("Authorization: Bearer "+v.Token) + " " + shellWord("http://"+host+"/contacts?per_page=2")
	v.countRequests(s.w.Requests(), s.about.RouteOf)
	slices.Reverse(v.Deliveries)
	v.Deliveries = v.Deliveries[:min(shownLast, len(v.Deliveries))]
	return v
}

// shellWord quotes a word for a shell, whatever characters it has.
func shellWord(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// countRequests counts the requests of a log, oldest first, and keeps the newest for the page.
func (v *pageView) countRequests(log []Request, routeOf func(Request) string) {
	routes, faults := map[string]map[int]int{}, map[string]int{}
	for i := range log {
		e := &log[i]
		name := cmp.Or(routeOf(*e), e.Route, "none") // also for requests that met a fault before their route was looked up, or had no token
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

// statusWord is a status as text, or the word for a request without one.
func statusWord(status int) string {
	if status == 0 {
		return "cut"
	}
	return strconv.Itoa(status)
}
