package search

import "fmt"

// Refusal is why a search is not answered.
type Refusal struct {
	Status        int // of HTTP
	Code, Message string
}

// badQuery is a question that the service refuses, with the reason.
type badQuery string

func (e badQuery) Error() string { return string(e) }

func refuseSearch(format string, args ...any) error { return badQuery(fmt.Sprintf(format, args...)) }
