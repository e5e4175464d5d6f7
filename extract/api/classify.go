package api

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-faster/jx"
)

// classifyResponse returns what is wrong with an answer; nil when nothing is.
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
	listed := parseErrorList(a.Body)
	e := c.answerError(a, listed)
	e.Class = classOfStatus(a.status, q, listed)
	switch {
	case a.status >= 300 && a.status < 400:
		e.Err = ErrRedirect
		if target, err := c.base.Parse(a.head.Get("Location")); err == nil && (target.Host != c.base.Host || target.Scheme != c.base.Scheme) {
			e.Err = fmt.Errorf("%w: the server names the address %s", ErrRedirect, redactTokens(Shorten(target.Scheme+"://"+hostOf(target)), c.secretTokens()))
		}
	case !listed.list && a.status == http.StatusNotFound:
		// A proxy or a wrong address may answer 404, too: only the API's own error list means that something does not exist (T37).
		e.Err = errors.New("not an error document of the API")
	}
	if e.Class == ClassTransient {
		e.noteRetryAfter(a, c.o.Now())
	}
	return e
}

// noteRetryAfter notes how long an answer asks to wait. now is the local clock.
func (e *Error) noteRetryAfter(a *Answer, now time.Time) {
	server := a.serverDate
	if server.IsZero() {
		server = now
	}
	asked := retryAfter
	if a.status == http.StatusTooManyRequests {
		asked = refusalWait
	}
	e.retryAfter, _ = asked(a.head, server)
}

// classifyBody returns what is wrong with an answer of a good status.
func (c *Client) classifyBody(q Call, a *Answer) *Error {
	if q.Accept == nil {
		return nil
	}
	err := q.Accept(a)
	if err == nil {
		return nil
	}
	listed := parseErrorList(a.Body)
	e := c.answerError(a, listed)
	e.Err = err
	switch {
	case errors.Is(err, ErrNotJSON):
		e.Class = ClassTransient
	case errors.Is(err, ErrErrorList):
		e.Class = classOfCode(listed, q.Cursor)
	default:
		e.Class = ClassContract
	}
	return e
}

// answerError copies the status, code, message and request id of an answer into an error, without the token and personal data.
func (c *Client) answerError(a *Answer, listed errorList) *Error {
	e := &Error{Status: a.status, RequestID: listed.requestID, ServerTime: a.Date}
	if e.RequestID == "" {
		e.RequestID = a.head.Get("X-Request-Id")
	}
	tokens := c.secretTokens()
	e.Code, e.Message = c.cleanMessage(listed.code), c.cleanMessage(listed.message)
	e.RequestID = redactTokens(Shorten(e.RequestID), tokens)
	return e
}

// classOfStatus is the class of an answer with an error status.
func classOfStatus(status int, q Call, listed errorList) Class {
	switch {
	case status == http.StatusUnauthorized:
		return ClassAuth
	case status == http.StatusForbidden && listed.code == "api_plan_restricted":
		return ClassPlan
	case status == http.StatusForbidden:
		return ClassScope
	case status == http.StatusNotFound && !listed.list:
		return ClassTransient
	case q.Cursor && listed.list && (status == http.StatusNotFound || status == http.StatusBadRequest && listed.code == "client_error"):
		return ClassCursor
	case status == http.StatusNotFound && listed.meansNotFound(q.Path), status == http.StatusGone && listed.list:
		return ClassNotFound
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests, status >= 500:
		return ClassTransient
	}
	return ClassContract
}

// errorList is the API's form of an error.
type errorList struct {
	list      bool // the body is an error list
	code      string
	message   string
	requestID string
}

// meansNotFound reports whether the error list of a 404 says that the resource of the path does not exist. Its first error has a
// message and no code, a general code, or a code named after the resource, such as company_not_found (document, 7). Other codes
// concern something else, such as a parameter.
func (l errorList) meansNotFound(path string) bool {
	thing, missing := strings.CutSuffix(l.code, "_not_found")
	if l.code == "" && l.message != "" || l.code == "not_found" || l.code == "resource_not_found" {
		return true
	}
	return missing && slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return singularName(part) == thing })
}

// singularName is the singular of a resource's plural name in a path.
func singularName(many string) string {
	if stem, ok := strings.CutSuffix(many, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(many, "s")
}

// classOfCode is the class of an error list with a good status, by its code.
func classOfCode(listed errorList, cursor bool) Class {
	switch listed.code {
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

// parseErrorList reads an error list; any other body, such as HTML, gives the zero value.
func parseErrorList(body []byte) errorList {
	var listed, none errorList
	d := jx.DecodeBytes(body)
	if d.Next() != jx.Object {
		return none
	}
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		switch {
		case string(key) == "type" && d.Next() == jx.String:
			text, err := d.Str()
			listed.list = listed.list || text == "error.list"
			return err
		case string(key) == "request_id" && d.Next() == jx.String:
			text, err := d.Str()
			listed.requestID = strings.Clone(text)
			return err
		case string(key) == "errors" && d.Next() == jx.Array:
			return d.Arr(listed.readFirst)
		case string(key) == "errors" && d.Next() == jx.Object:
			return listed.readNamed(d)
		}
		return d.Skip()
	})
	if err != nil || !listed.list {
		return none
	}
	return listed
}

// readNamed keeps the first text of errors that are an object by name.
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

// readFirst keeps the code and message of the first error.
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
