package console

import (
	"encoding/json"
	"net/http"
)

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, "the answer cannot be written as JSON: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// Whoever has gone away reads no error.
	_, _ = w.Write(append(text, '\n'))
}

// writeProblem says as JSON what is wrong, in the words that errors have everywhere.
func writeProblem(w http.ResponseWriter, status int, class, what string, next ...string) {
	v := map[string]string{"class": class, "error": what}
	for _, n := range next {
		v["next"] = n
	}
	writeJSON(w, status, v)
}
