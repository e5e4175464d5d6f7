package front

import (
	"net/http"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/fault"
)

// answerCache is what stands between a service and its readers and keeps good answers by their questions (trap T121).
type answerCache struct {
	kept  map[string]cachedAnswer
	order []string // the oldest question first
}

type cachedAnswer struct {
	answer.Answer
	at int64
}

// keptAnswers bounds the cache.
const keptAnswers = 64

// cacheAnswer keeps a good answer of a reading request, and gives the one that the question had before to those whom the fault has
// replayed to, and says whether it did. There is no cache while no fault can ask for one.
func (w *Server) cacheAnswer(f *fault.Fault, r *http.Request, body []byte, a answer.Answer) (given answer.Answer, replayed bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if a.Wrote || w.inject == nil && len(w.chaos) == 0 {
		return a, false
	}
	question := r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get(w.Options.VersionHeader) + " " + string(body)
	before, known := w.cache.kept[question]
	if known && f != nil && f.Replay {
		before.Header = map[string]string{"Age": strconv.FormatInt(max(1, w.UnixNow()-before.at), 10), "X-Cache": "HIT"}
		return before.Answer, true
	}
	if a.Status != http.StatusOK || f != nil {
		return a, false
	}
	if w.cache.kept == nil {
		w.cache.kept = map[string]cachedAnswer{}
	}
	if !known {
		w.cache.order = append(w.cache.order, question)
	}
	w.cache.kept[question] = cachedAnswer{a, w.UnixNow()}
	if len(w.cache.order) > keptAnswers {
		delete(w.cache.kept, w.cache.order[0])
		w.cache.order = w.cache.order[1:]
	}
	return a, false
}
