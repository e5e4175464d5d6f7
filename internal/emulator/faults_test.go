package emulator_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
)

func TestChaosStrikesExactRequests(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Chaos: "reset@2,error@3-4:500,redirect@5:307,html404@6,error@8-207=0.5:502"}})
	var got []int
	for range 7 {
		r, _ := c.tryRequest("GET", "/admins", nil) // a status of 0 is a connection that was cut
		got = append(got, r.status)
	}
	if want := []int{200, 0, 500, 500, 307, 404, 200}; !slices.Equal(got, want) {
		t.Errorf("answered %v, want %v", got, want)
	}
	bad := 0
	for range 200 {
		if c.do("GET", "/admins", nil).status == 502 {
			bad++
		}
	}
	if bad < 70 || bad > 130 || c.do("GET", "/admins", nil).status != 200 {
		t.Errorf("%d of 200 with a chance of a half", bad)
	}
	for _, wrong := range []string{"reset@0", "reset@5-2", "reset@x", "error@3:999", "redirect=0.1:200", "drip=0.1", "slow=p101:1s", "utf8=NaN"} {
		if fault.CheckChaos(wrong) == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	for line := range strings.Lines(fault.ChaosHelp) {
		example := strings.Fields(line)[0]
		if !strings.ContainsAny(example, "=@") {
			example += "=0.01"
		}
		if err := fault.CheckChaos(example); err != nil {
			t.Errorf("the help's %q: %v", example, err)
		}
	}
}

// The log shows the faults that happened in fact, by the names that inject them.
func TestTheLogHasTheFaultsThatHappened(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Chaos: "age@1-4,utf8@5,429=1,reset@6,html404@7,slow@8:1ms,error@9:500,redirect@10:307,drip@11:1ms,encoding@12"}})
	for n := range 13 {
		path := map[int]string{4: "/contacts/nobody"}[n]
		if method := map[bool]string{true: "POST", false: "GET"}[n < 2]; method == "POST" {
			_, _ = c.tryRequest("POST", "/contacts", m{"role": "lead"}) // no cache answers these
		} else {
			_, _ = c.tryRequest("GET", cmp.Or(path, "/tags"), nil) // nor those that were not asked before
		}
	}
	var got []string
	for _, r := range c.w.Requests() {
		got = append(got, r.Fault)
	}
	want := []string{"", "", "", "", "", "reset", "html404", "slow:1ms", "error:500", "redirect:307", "drip:1ms", "encoding", "429"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	c.failOn(c.w.SetChaos("age@15"))
	for range 2 {
		c.do("GET", "/teams", nil)
	}
	if all := c.w.Requests(); all[14].Fault != "age" {
		t.Errorf("an old answer is told as %q", all[14].Fault)
	}
}

func TestT119RequestsThatFollowARedirectAreLogged(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Chaos: "redirect@1"}})
	first := c.do("GET", "/tags", nil)
	to := strings.TrimPrefix(first.header.Get("Location"), c.url)
	if r := c.do("GET", to, nil); first.status != 302 || r.status != 200 || len(r.dataItems()) != 0 {
		t.Errorf("%d leads to %s, which answers %d", first.status, to, r.status)
	}
	log := c.w.Requests()
	if came := log[len(log)-1]; !came.Auth || came.Path != "/_elsewhere/tags" || came.Header.Get("Authorization") == "" {
		t.Errorf("noted: %+v", came)
	}
	other := startWorkspace(t, emulator.Config{Elsewhere: "http://elsewhere.example", Knobs: emulator.Knobs{Chaos: "redirect@1"}})
	if to := other.do("GET", "/tags", nil).header.Get("Location"); to != "http://elsewhere.example/_elsewhere/tags" {
		t.Errorf("another host: %s", to)
	}
}

func TestT121ACacheReplaysTheEarlierAnswerWithItsAge(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Chaos: "age@2-3"}})
	id := c.w.ContactIDs("active")[0]
	before := c.do("GET", "/contacts/"+id, nil)
	c.w.Advance(time.Hour)
	if err := c.w.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "New Name"}); err != nil {
		t.Fatal(err)
	}
	stale := c.do("GET", "/contacts/"+id, nil)
	if !bytes.Equal(stale.raw, before.raw) || stale.header.Get("Age") != "3600" {
		t.Errorf("replayed %v, Age %q", bytes.Equal(stale.raw, before.raw), stale.header.Get("Age"))
	}
	if r := c.do("GET", "/tags", nil); r.header.Get("Age") != "" || r.status != 200 {
		t.Errorf("a question that nobody asked before: %d, Age %q", r.status, r.header.Get("Age"))
	}
	if r := c.do("GET", "/contacts/"+id, nil); r.json["name"] != "New Name" {
		t.Errorf("afterwards: %v", r.json["name"])
	}
}

func TestAnswersMayBeSlowOrMislabelled(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Chaos: "drip@1:3ms,encoding@2"}})
	began := time.Now()
	if r := c.do("GET", "/contacts", nil); len(r.dataItems()) != 10 || time.Since(began) < 15*3*time.Millisecond {
		t.Errorf("%d contacts in %s", len(r.dataItems()), time.Since(began))
	}
	req, err := http.NewRequest("GET", c.url+"/contacts", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.w.AccessToken())
	req.Header.Set("Accept-Encoding", "gzip") // set explicitly, so that net/http does not decompress the body
	res, err := fresh.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var page map[string]any
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil || res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("said to be %q, read as JSON: %v", res.Header.Get("Content-Encoding"), err)
	}
}

func TestMangledJSONOfGoodAnswers(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	plain := c.do("GET", "/contacts", nil)
	same := func(a, b []byte) bool { // read leniently: 1, 1.0 and "1" are one number
		strip := strings.NewReplacer(`"`, "", ".0,", ",", "e0,", ",", ".0}", "}", "e0}", "}")
		return strip.Replace(string(a)) == strip.Replace(string(b))
	}
	attributes := regexp.MustCompile(`"custom_attributes":\{[^}]*\}`) // a number of the workspace's own that is sent as text is another value
	tests := map[fault.Mangling]func(raw []byte) bool{
		fault.MangleUTF8: func(raw []byte) bool {
			return !utf8.Valid(raw) && bytes.Contains(raw, []byte(`\ud800"`)) && bytes.Contains(raw, []byte(`\u0000"`))
		},
		fault.MangleNumbers: func(raw []byte) bool {
			own := bytes.Equal(bytes.Join(attributes.FindAll(raw, -1), nil), bytes.Join(attributes.FindAll(plain.raw, -1), nil))
			return json.Valid(raw) && !bytes.Equal(raw, plain.raw) && same(raw, plain.raw) && own
		},
		fault.MangleKeys:    func(raw []byte) bool { return json.Valid(raw) && bytes.Contains(raw, []byte(`"UPDATED_AT":2`)) },
		fault.MangleDepth:   func(raw []byte) bool { return bytes.Contains(raw, bytes.Repeat([]byte("["), 20_000)) },
		fault.MangleSize:    func(raw []byte) bool { return json.Valid(raw) && len(raw) > 80<<20 },
		fault.MangleUnknown: func(raw []byte) bool { return json.Valid(raw) && bytes.Contains(raw, []byte(`"not_yet_told"`)) },
		fault.MangleMorph:   func(raw []byte) bool { return json.Valid(raw) && bytes.Contains(raw, []byte(`:{"value":"`)) },
	}
	for game, good := range tests {
		if err := c.w.SetChaos(string(game) + "=1"); err != nil {
			t.Fatal(err)
		}
		for range 5 { // one spot in ten is mangled
			if r := c.do("GET", "/contacts", nil); r.status != 200 || !good(r.raw) {
				t.Errorf("%s: %d, %d bytes: %.300s", game, r.status, len(r.raw), r.raw)
			}
		}
	}
}

func TestKnobsOfSearchThatTheDocumentLeavesOpen(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{NoLag: true}})
	at := int64(toInt(c.searchAll(updatedSince(0))[100]["updated_at"]))
	above, equal := len(c.searchAll(fieldFilter("updated_at", ">", at))), len(c.searchAll(fieldFilter("updated_at", "=", at)))
	below := len(c.searchAll(fieldFilter("updated_at", "<", at)))
	if equal == 0 || above+equal+below != 300 {
		t.Errorf("%d above, %d equal, %d below", above, equal, below)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Inclusive = true })
	if up, down := len(c.searchAll(fieldFilter("updated_at", ">", at))), len(c.searchAll(fieldFilter("updated_at", "<", at))); up != above+equal || down != below+equal {
		t.Errorf("inclusive: %d above, %d below", up, down)
	}

	c.w.SetKnobs(func(k *emulator.Knobs) { k.Inclusive, k.ShortPages = false, 0.5 })
	before := c.w.RequestCount()
	if got := len(c.searchAll(updatedSince(0))); got != 300 || c.w.RequestCount()-before < 3 {
		t.Errorf("in short pages %d contacts by %d requests", got, c.w.RequestCount()-before)
	}

	c.w.SetKnobs(func(k *emulator.Knobs) { k.ShortPages = 0 })
	token := c.searchContacts(updatedSince(0)).nextPage()["starting_after"]
	other := m{"query": fieldFilter("created_at", ">", 1), "pagination": m{"starting_after": token}}
	if r := c.do("POST", "/contacts/search", other); r.status != 400 {
		t.Errorf("the cursor of another question: %d", r.status)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.LooseCursors = true })
	if r := c.do("POST", "/contacts/search", other); r.status != 200 {
		t.Errorf("where cursors are loose: %d", r.status)
	}

	c.w.SetKnobs(func(k *emulator.Knobs) {
		k.ShapesOf = map[string]emulator.PageShapes{"contacts.list": {Next: emulator.ShapeURL, End: emulator.ShapeEmpty}}
	})
	page := func(path string) any { return c.do("GET", path, nil).json["pages"].(map[string]any)["next"] }
	if list, feed := page("/contacts"), page("/contacts/activities"); !strings.HasPrefix(list.(string), c.url+"/contacts?") || feed.(map[string]any)["starting_after"] == nil {
		t.Errorf("next of one list %v, of another %v", list, feed)
	}
}

func TestT6EachKindOfRecordHasItsOwnLag(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{LagOf: map[string]emulator.SearchLag{
		"contacts": {Max: time.Second}, "contacts.new": {TailShare: 1, Tail: 6 * time.Hour}}}})
	known := c.w.ContactIDs("active")[0]
	found := func(id string) int { return c.searchContacts(fieldFilter("name", "=", "Somebody "+id)).totalCount() }
	if err := c.w.UpdateContact(known, emulator.FieldChange{Field: "name", Value: "Somebody " + known}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, err := c.w.CreateContact("user", emulator.FieldChange{Field: "name", Value: "Somebody " + name}); err != nil {
			t.Fatal(err)
		}
	}
	c.w.Advance(time.Minute)
	if n := found("a") + found("b") + found("c") + found("d"); found(known) != 1 || n > 1 {
		t.Errorf("after a minute the change is found %d times, %d of 4 new ones", found(known), n)
	}
	c.w.Advance(6 * time.Hour)
	if n := found("a") + found("b") + found("c") + found("d"); n != 4 {
		t.Errorf("after the longest lag %d of 4 new ones", n)
	}
}

func TestT117RateLimitHeadersMayBeOdd(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{OddRateHeaders: true}})
	if r := c.do("GET", "/tags", nil); !strings.HasPrefix(r.header.Get("X-RateLimit-Remaining"), "-") {
		t.Errorf("remaining %q", r.header.Get("X-RateLimit-Remaining"))
	}
}
