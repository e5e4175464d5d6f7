package runlog

import (
	"fmt"
	"strings"

	"aqueduck/internal/problem"
)

// shortID is the number of characters that people call a run by.
const shortID = 8

// ShortRun returns the short id of a run: the last eight characters of its id, which are random. The first ones are the time, and are the same for
// runs that begin in the same second. What follows the id in the name of a published file stays.
func ShortRun(id string) string {
	id, file, more := strings.Cut(id, "-")
	id = id[max(0, len(id)-shortID):]
	if more {
		id += "-" + file
	}
	return id
}

// MatchesRun reports whether a person means a run: by the beginning of its id, or of its short id.
func MatchesRun(id, given string) bool {
	given = strings.ToUpper(given)
	return strings.HasPrefix(id, given) || strings.HasPrefix(ShortRun(id), given)
}

// SeveralRuns returns the error of an id that several things have, with the short ids of the first of them.
func SeveralRuns(what, given string, ids []string, next string) error {
	const most = 5
	var found []string
	for _, id := range ids[:min(len(ids), most)] {
		found = append(found, ShortRun(id))
	}
	if len(ids) > most {
		found = append(found, "…")
	}
	return &problem.Problem{Class: "usage", What: fmt.Sprintf("several %s have an id, or a short id, that begins with %s; their short ids: %s", what, given, strings.Join(found, ", ")),
		Next: "give one of these short ids; " + next}
}
