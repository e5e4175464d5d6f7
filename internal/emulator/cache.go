package emulator

import (
	"net/http"
	"strconv"
)

// cache is what stands between a service and its readers and keeps good answers by their questions (trap T121).
type cache struct {
	kept  map[string]kept
	order []string // the oldest question first
}

type kept struct {
	answer
	at int64
}

// keptAnswers bounds the cache.
const keptAnswers = 64

// cached keeps a good answer of a reading request, and gives the one that the question had before to those whom the fault has
// replayed to, and says whether it did. There is no cache while no fault can ask for one.
func (w *server) cached(f *Fault, r *http.Request, body []byte, a answer) (given answer, replayed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.wrote || w.inject == nil && len(w.chaos) == 0 {
		return a, false
	}
	question := r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get(w.opts.VersionHeader) + " " + string(body)
	before, known := w.cache.kept[question]
	if known && f != nil && f.Replay {
		before.header = map[string]string{"Age": strconv.FormatInt(max(1, w.now()-before.at), 10), "X-Cache": "HIT"}
		return before.answer, true
	}
	if a.status != http.StatusOK || f != nil {
		return a, false
	}
	if w.cache.kept == nil {
		w.cache.kept = map[string]kept{}
	}
	if !known {
		w.cache.order = append(w.cache.order, question)
	}
	w.cache.kept[question] = kept{a, w.now()}
	if len(w.cache.order) > keptAnswers {
		delete(w.cache.kept, w.cache.order[0])
		w.cache.order = w.cache.order[1:]
	}
	return a, false
}
