package front

import (
	"net/http"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/fault"
)

// answerCache plays a cache between the service and its readers: it keeps good answers by their questions (trap T121).
type answerCache struct {
	kept  map[string]cachedAnswer
	order []string // keys of answers, the oldest first
}

type cachedAnswer struct {
	answer.Answer
	at int64
}

// keptAnswers bounds the number of cached answers.
const keptAnswers = 64

// cacheAnswer stores a good answer to a reading request. When the fault asks for a replay, it returns the stored earlier answer with replayed
// set. Nothing is stored while no fault can ask for a replay.
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
