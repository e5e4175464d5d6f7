package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// StatusOf is the HTTP status of the first Error in err's chain, 0 when it has none.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// Class is what an error means for the run.
type Class string

// The classes. Which one it is was decided where the answer was seen.
const (
	ClassAuth      Class = "auth"      // the token is refused: nothing more is sent
	ClassPlan      Class = "plan"      // the workspace's plan does not have this
	ClassScope     Class = "scope"     // the token may not read this
	ClassNotFound  Class = "not_found" // the API itself says that there is no such thing
	ClassTransient Class = "transient" // asking again later may help
	ClassContract  Class = "contract"  // the answer, or the request, is not what the API's document says
	ClassCursor    Class = "cursor"    // the server does not know the cursor any more
	ClassSource    Class = "source"    // the answers contradict each other, or lead to no end: what they say of the whole is not to be believed
)

// Error is a request that did not succeed.
type Error struct {
	Class     Class
	Op        string // what was being done: "read contacts"
	Method    string
	Path      string // without its query
	Status    int    // 0 when no answer came
	Code      string // the API's own code
	Message   string // the API's own words, shortened, free of the token
	RequestID string
	Attempts  int   // requests that were sent for it, the first one included
	Err       error // what happened instead of a usable answer; may be nil

	retryAfter time.Duration // how long the answer asks to wait, 0 when it does not say
	ServerTime time.Time     // the server's clock, zero when not told
}

// Error tells it in one sentence.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s", e.Op, e.Method, e.Path)
	if e.Status != 0 {
		b.WriteString(": " + strconv.Itoa(e.Status))
		if e.Code != "" {
			b.WriteString(" " + e.Code)
		}
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	var notes []string
	if e.Attempts > 1 {
		notes = append(notes, fmt.Sprintf("%d attempts", e.Attempts))
	}
	if e.RequestID != "" {
		notes = append(notes, "request_id "+e.RequestID)
	}
	if notes != nil {
		b.WriteString(" (" + strings.Join(notes, ", ") + ")")
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of the first Error in err's chain, "" when it has none.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

var (
	// ErrBudget says that the run's MaxRequests were sent, or that its time is over. Nothing is lost: the last State goes on.
	ErrBudget    = errors.New("the request budget or the time of the run is used up")
	errOnlyReads = errors.New("this client sends only read requests")
	// ErrNotJSON says that an answer is no whole JSON text: it was cut, or something else than the API sent it.
	ErrNotJSON = errors.New("the answer is not JSON")
	// ErrErrorList says that an answer of a good status is an error list.
	ErrErrorList = errors.New("the answer is an error list")
	errRedirect  = errors.New("redirects are not followed")
	errStalled   = errors.New("the answer stalled")
	errTooSlow   = errors.New("the answer took too long")
	errTooBig    = errors.New("the answer is too large")
)

// SmallerPageMayHelp reports whether a smaller page may get an answer where this one did not.
func (e *Error) SmallerPageMayHelp() bool {
	if e.Class != ClassTransient {
		return false
	}
	if e.Status >= 500 || e.Status == 408 {
		return true
	}
	for _, cause := range []error{errStalled, errTooSlow, errTooBig, ErrNotJSON, io.ErrUnexpectedEOF} {
		if errors.Is(e.Err, cause) {
			return true
		}
	}
	return isTimeout(e.Err)
}

// isTimeout reports whether err is a limit of the transport that was passed.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// RefusesValue reports whether an answer says, in the API's own words, that it does not have what was asked for by a value.
func (e *Error) RefusesValue() bool {
	switch e.Class {
	case ClassNotFound, ClassPlan, ClassScope:
		return true
	case ClassContract:
		return (e.Code != "" || e.Message != "") && (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound || e.Status == http.StatusUnprocessableEntity)
	}
	return false
}
