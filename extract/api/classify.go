package api

import (
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-faster/jx"
)

// classifyResponse says what is wrong with an answer; nil when nothing is.
func (c *Client) classifyResponse(q Call, a *Answer, err error) *Error {
	if err != nil {
		e := &Error{Class: ClassTransient, Err: err}
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			e.Class = ClassContract
		}
		return e
	}
	if a.status == http.StatusOK || a.status == http.StatusCreated || a.status == http.StatusAccepted {
		return c.classifyBody(q, a)
	}
	told := parseErrorList(a.Body)
	e := c.answerError(a, told)
	e.Class = classOfStatus(a.status, q, told)
	switch {
	case a.status >= 300 && a.status < 400:
		e.Err = errRedirect
	case !told.list && a.status == http.StatusNotFound:
		// Proxies and wrong addresses say 404 too: only the API's own words mean that something does not exist.
		e.Err = errors.New("not an error document of the API")
	}
	if e.Class == ClassTransient {
		server := a.serverDate
		if server.IsZero() {
			server = c.o.Now()
		}
		asked := retryAfter
		if a.status == http.StatusTooManyRequests {
			asked = refusalWait
		}
		e.retryAfter, _ = asked(a.head, server)
	}
	return e
}

// classifyBody says what is wrong with an answer of a good status.
func (c *Client) classifyBody(q Call, a *Answer) *Error {
	if q.Accept == nil {
		return nil
	}
	err := q.Accept(a)
	if err == nil {
		return nil
	}
	told := parseErrorList(a.Body)
	e := c.answerError(a, told)
	e.Err = err
	switch {
	case errors.Is(err, ErrNotJSON):
		e.Class = ClassTransient
	case errors.Is(err, ErrErrorList):
		e.Class = classOfCode(told, q.Cursor)
	default:
		e.Class = ClassContract
	}
	return e
}

// answerError copies what an answer says about itself into an error, free of the token.
func (c *Client) answerError(a *Answer, told errorList) *Error {
	e := &Error{Status: a.status, RequestID: told.requestID, ServerTime: a.Date}
	if e.RequestID == "" {
		e.RequestID = a.head.Get("X-Request-Id")
	}
	tokens := c.secretTokens()
	e.Code = redactTokens(Shorten(told.code), tokens)
	e.Message = redactTokens(Shorten(told.message), tokens)
	e.RequestID = redactTokens(Shorten(e.RequestID), tokens)
	return e
}

// classOfStatus is the class of an answer whose status says that it is an error.
func classOfStatus(status int, q Call, told errorList) Class {
	switch {
	case status == http.StatusUnauthorized:
		return ClassAuth
	case status == http.StatusForbidden && told.code == "api_plan_restricted":
		return ClassPlan
	case status == http.StatusForbidden:
		return ClassScope
	case status == http.StatusNotFound && !told.list:
		return ClassTransient
	case q.Cursor && told.list && (status == http.StatusNotFound || status == http.StatusBadRequest && told.code == "client_error"):
		return ClassCursor
	case status == http.StatusNotFound && told.meansNotFound(q.Path), status == http.StatusGone && told.list:
		return ClassNotFound
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests, status >= 500:
		return ClassTransient
	}
	return ClassContract
}

// errorList is the API's form of an error.
type errorList struct {
	list      bool // the body is one
	code      string
	message   string
	requestID string
}

// meansNotFound reports whether the error of a 404 says that what the path names does not exist: an error without a code, the general
// code, or the one that is named after the resource, as company_not_found is (document, 7). Others are about something else, such as
// a parameter.
func (l errorList) meansNotFound(path string) bool {
	thing, missing := strings.CutSuffix(l.code, "_not_found")
	if l.code == "" && l.message != "" || l.code == "not_found" || l.code == "resource_not_found" {
		return true
	}
	return missing && slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return singularName(part) == thing })
}

// singularName is the name of one thing, by the name that a path has for many.
func singularName(many string) string {
	if stem, ok := strings.CutSuffix(many, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(many, "s")
}

// classOfCode is the class of an error list that came with a good status: only its code can tell.
func classOfCode(told errorList, cursor bool) Class {
	switch told.code {
	case "unauthorized", "token_revoked", "token_unauthorized", "token_not_found":
		return ClassAuth
	case "api_plan_restricted":
		return ClassPlan
	case "not_found":
		return ClassNotFound
	case "rate_limit_exceeded", "too_many_requests", "service_unavailable", "server_error", "request_timeout":
		return ClassTransient
	case "client_error":
		if cursor {
			return ClassCursor
		}
	}
	return ClassContract
}

// parseErrorList reads an error's body; what is something else, HTML say, gives the zero value.
func parseErrorList(body []byte) errorList {
	var told, none errorList
	d := jx.DecodeBytes(body)
	if d.Next() != jx.Object {
		return none
	}
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		switch {
		case string(key) == "type" && d.Next() == jx.String:
			text, err := d.Str()
			told.list = told.list || text == "error.list"
			return err
		case string(key) == "request_id" && d.Next() == jx.String:
			text, err := d.Str()
			told.requestID = strings.Clone(text)
			return err
		case string(key) == "errors" && d.Next() == jx.Array:
			return d.Arr(told.readFirst)
		case string(key) == "errors" && d.Next() == jx.Object:
			return told.readNamed(d)
		}
		return d.Skip()
	})
	if err != nil || !told.list {
		return none
	}
	return told
}

// readNamed keeps the first text of errors that are told by what they are about.
func (l *errorList) readNamed(d *jx.Decoder) error {
	return d.ObjBytes(func(d *jx.Decoder, _ []byte) error {
		if d.Next() != jx.String || l.message != "" {
			return d.Skip()
		}
		text, err := d.Str()
		l.message = strings.Clone(text)
		return err
	})
}

// readFirst keeps the first error's words.
func (l *errorList) readFirst(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		if d.Next() != jx.String {
			return d.Skip()
		}
		text, err := d.Str()
		switch {
		case string(key) == "code" && l.code == "":
			l.code = text
		case string(key) == "message" && l.message == "":
			l.message = text
		}
		return err
	})
}
