package search

import "fmt"

// Refusal is why a search is refused.
type Refusal struct {
	Status        int // HTTP status
	Code, Message string
}

// badQuery is the reason why a query is invalid.
type badQuery string

func (e badQuery) Error() string { return string(e) }

func refuseSearch(format string, args ...any) error { return badQuery(fmt.Sprintf(format, args...)) }
