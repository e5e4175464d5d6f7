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
	// A reader that has disconnected needs no error.
	_, _ = w.Write(append(text, '\n'))
}

// writeProblem writes an error as JSON, with the text that it has everywhere.
func writeProblem(w http.ResponseWriter, status int, class, what string, next ...string) {
	v := map[string]string{"class": class, "error": what}
	for _, n := range next {
		v["next"] = n
	}
	writeJSON(w, status, v)
}
