package clause

import (
	"encoding/json"
	"slices"
)

// QuoteJSON writes a text as JSON.
func QuoteJSON(s string) string {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return string(text)
}

// Without is the merge patch that removes a path from an object.
func Without(path []string) string {
	patch := "null"
	for _, name := range slices.Backward(path) {
		patch = "{" + QuoteJSON(name) + ":" + patch + "}"
	}
	return patch
}
