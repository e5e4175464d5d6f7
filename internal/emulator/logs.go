package emulator

import (
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// hourOfActs lets admins do something in an hour of life, a few times at most.
func (w *actionDesk) hourOfActs(base int64) {
	r, seed := event.NewRNG(w.cfg.Seed, event.ForLogs, 1, uint64(w.hours)), w.cfg.Seed
	var acts []event.AdminAction
	for i := range r.N(4) {
		acts = append(acts, population.DrawAction(seed, r, int32(len(w.acts)+i), base+600+int64(r.N(population.Busy-600)), w.cfg.Start.Unix()))
	}
	w.addActs(acts)
}

// addActs puts entries in their places. What others hold of the list stays as it is.
func (w *actionDesk) addActs(acts []event.AdminAction) {
	w.acts = append(slices.Clip(w.acts), acts...)
	population.SortActions(w.acts)
}

// AddLogs lets admins do n things within a span of time that ends now (trap T84: thousands in an hour, or in a second).
func (w *actionDesk) AddLogs(n int, within time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seed := w.cfg.Seed
	r := event.NewRNG(seed, event.ForLogs, 2, uint64(len(w.acts)))
	acts, end := make([]event.AdminAction, n), w.now()
	for i := range acts {
		acts[i] = population.DrawAction(seed, r, int32(len(w.acts)+i), end-r.Between(0, max(1, int64(within/time.Second))), w.cfg.Start.Unix())
		acts[i].Put = end
	}
	w.addActs(acts)
}

// listLogs is GET /admins/activity_logs (workspace-api 4.10): the newest first, and no way to ask for a second page.
func listLogs(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q.query.Get("created_at_after") == "" {
		return failure(http.StatusNotFound, "parameter_not_found", "created_at_after is required")
	}
	after, good := q.positive("created_at_after", 1)
	before, good2 := q.positive("created_at_before", 1<<40)
	per, good3 := q.perPage(20, 250)
	if q.query.Get("created_at_after") == "0" {
		after, good = 0, true
	}
	if !good || !good2 || !good3 {
		return failure(http.StatusBadRequest, "parameter_invalid", "a parameter is no number")
	}
	if w.k().LogPage > 0 {
		per = w.k().LogPage
	}
	found := w.actsBetween(int64(after), int64(before))
	b := openList(nil, "activity_log.list", "activity_logs")
	for i, a := range found[:min(per, len(found))] {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendAct(b, a, q.version, w.k().OldLimitType)
	}
	return ok(w.closeLogs(append(b, ']'), q, search.Page{Number: 1, PerPage: per, Total: len(found), More: len(found) > per}))
}

// actsBetween gives the entries between two times, the newest first.
func (w *actionDesk) actsBetween(after, before int64) []event.AdminAction {
	if w.k().EmptyLists {
		return nil
	}
	if w.k().LogBoundsOut {
		after, before = after+1, before-1
	}
	from := sort.Search(len(w.acts), func(i int) bool { return w.acts[i].At >= after })
	to := sort.Search(len(w.acts), func(i int) bool { return w.acts[i].At > before })
	var found []event.AdminAction
	for i := to - 1; i >= from; i-- {
		late := int64(event.NewRNG(w.cfg.Seed, event.ForLogs, 3, uint64(w.acts[i].N)).Share() * w.k().LogLag.Seconds())
		if w.acts[i].At+late <= w.now() {
			found = append(found, w.acts[i])
		}
	}
	return found
}

// closeLogs ends the list. Its pages object may be empty where there is no more (workspace-api 2.7).
func (w *server) closeLogs(b []byte, q *request, p search.Page) []byte {
	if !p.More {
		if w.k().ShapesFor(q.route).End == knobs.ShapeNoPages {
			return append(b, '}')
		}
		return append(b, `,"pages":{}}`...)
	}
	b = append(b, `,"pages":{"type":"pages","page":1,"per_page":`...)
	b = strconv.AppendInt(b, int64(p.PerPage), 10)
	b = append(b, `,"total_pages":`...)
	b = strconv.AppendInt(b, int64((p.Total+p.PerPage-1)/p.PerPage), 10)
	if !w.k().LogNoNext {
		b = w.appendNext(b, q, p)
	}
	return append(b, `}}`...)
}

// actKind is one type of entry: what it is called, says, and tells beside. %d stands for a number drawn for the entry,
// {admin} and {other} for names, {id} for the other's id.
type actKind struct {
	name, sentence, metadata string
	old                      string // name before version 2.14
	oldMetadata              string
}

var actKinds = [...]actKind{
	{name: "admin_login_success", sentence: "{admin} successfully logged in.", metadata: `{"message":"{admin} successfully logged in."}`},
	{name: "admin_login_failure", sentence: "{admin} failed to log in.", metadata: `{"sign_in_method":"email","attempt":%d}`},
	{name: "admin_logout", sentence: "{admin} logged out.", metadata: `{}`},
	{name: "admin_permission_change", sentence: "{admin} changed the permissions of a teammate.",
		metadata: `{"before":{"permissions":{"access_billing":false,"limit":%d}},"after":{"permissions":{"access_billing":true,"list":[1,[2,{"deep":null}]]}}}`},
	{name: "admin_away_mode", sentence: "{admin} changed away mode.", metadata: `{"away_mode":true,"reassign_conversations":false,"update_by":%d}`},
	{name: "app_name_change", sentence: "{admin} renamed the workspace to “Büro & Söhne” %d.", metadata: `{"before":"Büro","after":"Büro & Söhne %d"}`},
	{name: "bulk_export", sentence: "{admin} exported contacts.", metadata: `{"job_id":9007199254740993,"rows":%d}`},
	{name: "message_state_change", sentence: "{admin} set a message live.", metadata: `{"message":{"id":%d,"title":"Spring <sale>"},"before":"draft","after":"live"}`},
	{name: "message_deletion", sentence: "{admin} deleted a message.", metadata: `{"message":{"id":%d,"title":null}}`},
	{name: "admin_invite_creation", sentence: "{admin} invited a teammate.", metadata: `{"invite":{"email":"new%d@acme.example","teams":[]}}`},
	{name: "admin_invite_change", sentence: "{admin} changed an invitation.", metadata: `{"before":{"seat":"lite"},"after":{"seat":"full"},"invite":%d}`},
	{name: "admin_invite_deletion", sentence: "{admin} withdrew an invitation.", metadata: `{"invite":{"email":"new%d@acme.example"}}`},
	{name: "campaign_deletion", sentence: "{admin} deleted a campaign.", metadata: `{"campaign_id":%d}`},
	{name: "admin_conversation_assignment_limit_change", sentence: "{admin} changed an assignment limit.",
		metadata: `{"conversation_assignment_limit":%d}`, old: "admin_assignment_limit_change", oldMetadata: `{"assignment_limit":%d}`},
	{name: "admin_ticket_assignment_limit_change", sentence: "{admin} changed an assignment limit of tickets.",
		metadata: `{"ticket_assignment_limit":%d}`, old: "admin_assignment_limit_change", oldMetadata: `{"assignment_limit":%d}`},
	{name: "admin_deletion", sentence: "{admin} removed {other}.", metadata: `{"deleted_admin":{"id":"{id}","name":"{other}"}}`},
	{name: "app_timezone_change", sentence: "{admin} changed the time zone of the workspace.", metadata: `{"before":"{before}","after":"{after}"}`},
}
