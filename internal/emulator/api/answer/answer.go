package answer

import (
	"encoding/json"
	"net/http"

	"aqueduck/internal/emulator/jsontext"
)

// OK returns a status of 200 with a body.
func OK(body []byte) Answer { return Answer{Status: http.StatusOK, Body: body} }

// Answer is a status and a body, with headers beyond the usual ones.
type Answer struct {
	Status int
	Body   []byte
	Header map[string]string
	Wrote  bool // the request may have written something, so no cache keeps the answer
}

// RefusalText returns the messages of an error answer, and "" for a good answer or an unreadable body.
func (a Answer) RefusalText() string {
	var said struct{ Errors []struct{ Message string } }
	if a.Status < http.StatusBadRequest || json.Unmarshal(a.Body, &said) != nil || len(said.Errors) == 0 {
		return ""
	}
	return said.Errors[0].Message
}

// Failure returns an error in the form of workspace-api 7.
func Failure(status int, code, message string) Answer {
	b := append([]byte(nil), `{"type":"error.list","request_id":null,"errors":[{"code":`...)
	b = jsontext.AppendString(b, code)
	b = append(b, `,"message":`...)
	b = jsontext.AppendString(b, message)
	return Answer{Status: status, Body: append(b, `}]}`...)}
}

// NotFound returns the 404 for a missing record; what names the kind of record.
func NotFound(what string) Answer {
	return Failure(http.StatusNotFound, "not_found", what+" Not Found")
}
