package api

import (
	"net/http"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/search"
)

// listLogs serves GET /admins/activity_logs (workspace-api 4.10): the newest first. The document has no parameter for a second page.
func listLogs(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if q.Query.Get("created_at_after") == "" {
		return answer.Failure(http.StatusNotFound, "parameter_not_found", "created_at_after is required")
	}
	after, good := q.positiveParam("created_at_after", 1)
	before, good2 := q.positiveParam("created_at_before", 1<<40)
	per, good3 := q.perPage(20, 250)
	if q.Query.Get("created_at_after") == "0" {
		after, good = 0, true
	}
	if !good || !good2 || !good3 {
		return answer.Failure(http.StatusBadRequest, "parameter_invalid", "a parameter is no number")
	}
	if w.K().LogPage > 0 {
		per = w.K().LogPage
	}
	found := w.ActionsBetween(int64(after), int64(before))
	b := openList(nil, "activity_log.list", "activity_logs")
	for i, a := range found[:min(per, len(found))] {
		if i > 0 {
			b = append(b, ',')
		}
		b = render.AppendAdminAction(w.Setup.Cast.Everyone, b, a, q.Version, w.K().OldLimitType)
	}
	return answer.OK(w.closeLogs(append(b, ']'), q, search.Page{Number: 1, PerPage: per, Total: len(found), More: len(found) > per}))
}

// closeLogs ends the list. Its pages object may be empty on the last page (workspace-api 2.7).
func (w *Handlers) closeLogs(b []byte, q *Request, p search.Page) []byte {
	if !p.More {
		if w.K().ShapesFor(q.Route).End == knobs.ShapeNoPages {
			return append(b, '}')
		}
		return append(b, `,"pages":{}}`...)
	}
	b = append(b, `,"pages":{"type":"pages","page":1,"per_page":`...)
	b = strconv.AppendInt(b, int64(p.PerPage), 10)
	b = append(b, `,"total_pages":`...)
	b = strconv.AppendInt(b, int64((p.Total+p.PerPage-1)/p.PerPage), 10)
	if !w.K().LogNoNext {
		b = w.appendNext(b, q, p)
	}
	return append(b, `}}`...)
}
