package answer

import (
	"encoding/json"
	"net/http"

	"aqueduck/internal/emulator/jsontext"
)

// OK is a good answer with a body.
func OK(body []byte) Answer { return Answer{Status: http.StatusOK, Body: body} }

// Answer is a status and a body, with headers beyond the usual.
type Answer struct {
	Status int
	Body   []byte
	Header map[string]string
	Wrote  bool // it is of a writing request, and no cache's
}

// RefusalText is what a refusal says; "" where it is none, or says nothing that can be read.
func (a Answer) RefusalText() string {
	var said struct{ Errors []struct{ Message string } }
	if a.Status < http.StatusBadRequest || json.Unmarshal(a.Body, &said) != nil || len(said.Errors) == 0 {
		return ""
	}
	return said.Errors[0].Message
}

// Failure is an error in the form of workspace-api 7.
func Failure(status int, code, message string) Answer {
	b := append([]byte(nil), `{"type":"error.list","request_id":null,"errors":[{"code":`...)
	b = jsontext.AppendString(b, code)
	b = append(b, `,"message":`...)
	b = jsontext.AppendString(b, message)
	return Answer{Status: status, Body: append(b, `}]}`...)}
}

// NotFound is the answer where what was asked for is not there; what names it.
func NotFound(what string) Answer {
	return Failure(http.StatusNotFound, "not_found", what+" Not Found")
}
