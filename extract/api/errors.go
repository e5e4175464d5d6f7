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

// StatusOf is the HTTP status of the first Error in err's chain, 0 when there is none.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// Class says what an error means for the run.
type Class string

// The classes of errors.
const (
	ClassAuth      Class = "auth"      // the token is refused: no further request is sent
	ClassPlan      Class = "plan"      // the workspace's plan does not include this
	ClassScope     Class = "scope"     // the token may not read this
	ClassNotFound  Class = "not_found" // the API itself says that it does not exist
	ClassTransient Class = "transient" // a later retry may succeed
	ClassContract  Class = "contract"  // the answer or the request contradicts the API's document
	ClassCursor    Class = "cursor"    // the server has lost the cursor
	ClassConfig    Class = "config"    // the stream file does not fit the answer
	ClassSource    Class = "source"    // answers contradict each other, or lead to no end: conclusions from the whole list are not safe
)

// Error is a failed request.
type Error struct {
	Class     Class
	Op        string // what was being done, such as "read contacts"
	Method    string
	Path      string // without the query; for other hosts the host only
	Status    int    // 0: no answer came
	Code      string // the API's own code
	Message   string // the API's own message, shortened, without the token and personal data
	RequestID string
	Attempts  int           // requests sent for it, the first included
	Spent     time.Duration // time from the first attempt to the last answer
	Err       error         // the cause; may be nil

	retryAfter time.Duration // wait that the answer asks for; 0: none
	ServerTime time.Time     // the server's clock; zero when unknown
}

// Busy reports whether an error is the refusal of a server that has too much to do or has failed, and how long its answer asks to
// wait; 0: it does not say. What was asked for may still exist.
func Busy(err error) (busy bool, wait time.Duration) {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusTooManyRequests && e.Status < http.StatusInternalServerError {
		return false, 0
	}
	return true, e.retryAfter
}

// Error is a sentence with operation, request, status, code, message and cause.
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
	if tried := e.describeAttempts(); tried != "" {
		notes = append(notes, tried)
	}
	if e.RequestID != "" {
		notes = append(notes, "request_id "+e.RequestID)
	}
	if notes != nil {
		b.WriteString(" (" + strings.Join(notes, ", ") + ")")
	}
	return b.String()
}

// describeAttempts says how often the request was sent, and how long that took; "" for one quick attempt.
func (e *Error) describeAttempts() string {
	spent := "under 1s"
	if e.Spent >= time.Second {
		spent = e.Spent.Round(time.Second).String()
	}
	switch {
	case e.Attempts > 1:
		return fmt.Sprintf("%d attempts in %s", e.Attempts, spent)
	case e.Attempts == 1 && e.Spent >= time.Second:
		return "1 attempt in " + spent
	}
	return ""
}

// AddAttempts adds the attempts of earlier failures of the same work to the first Error in err's chain, which then is the earlier one. It returns
// that Error, nil when there is none.
func AddAttempts(err error, earlier *Error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return nil
	}
	e.Attempts, e.Spent = e.Attempts+earlier.Attempts, e.Spent+earlier.Spent
	*earlier = *e
	return e
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of the first Error in err's chain, "" when there is none.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

var (
	// ErrBudget says that MaxRequests were sent, or that the client's stop is reached. A later run continues from the last State.
	ErrBudget    = errors.New("the request budget or the time of the run is used up")
	errOnlyReads = errors.New("this client sends only read requests")
	// ErrNotJSON says that an answer is no complete JSON text: it was cut, or a proxy sent it.
	ErrNotJSON = errors.New("the answer is not JSON")
	// ErrErrorList says that an answer of a good status is an error list (T19).
	ErrErrorList = errors.New("the answer is an error list")
	// ErrRedirect says that an answer names another address.
	ErrRedirect = errors.New("redirects are not followed")
	errStalled  = errors.New("the answer stalled")
	errTooSlow  = errors.New("the answer took too long")
	errTooBig   = errors.New("the answer is too large")
)

// spentError is ErrBudget for a request that was to be sent again. It keeps the failure before.
type spentError struct {
	err  error
	last *Error
}

func (e *spentError) Error() string { return e.err.Error() }

// Unwrap returns the error of the budget alone: the failure before is not why the request ended.
func (e *spentError) Unwrap() error { return e.err }

// LastFailure is the failure after which the budget did not allow another attempt; nil when there was none.
func LastFailure(err error) error {
	var spent *spentError
	if errors.As(err, &spent) {
		return fmt.Errorf("the last attempt: %s", spent.last)
	}
	return nil
}

// SmallerPageMayHelp reports whether a smaller page may succeed where this one failed.
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

// isTimeout reports whether err is a timeout of the transport.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// RefusesValue reports whether the API's own answer refuses the value that was asked for.
func (e *Error) RefusesValue() bool {
	switch e.Class {
	case ClassNotFound, ClassPlan, ClassScope:
		return true
	case ClassContract:
		return (e.Code != "" || e.Message != "") && (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound || e.Status == http.StatusUnprocessableEntity)
	}
	return false
}
