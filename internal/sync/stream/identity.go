package stream

import (
	"encoding/json"

	"aqueduck/schemas"
)

// TextField returns one field of a record as text, by its path: a JSON string without its quotes, any other value as JSON, "" when there is none.
func TextField(record []byte, path []string) string {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(record, &object) != nil {
			return ""
		}
		record = object[name]
	}
	var s string
	if json.Unmarshal(record, &s) == nil {
		return s
	}
	return string(record)
}

// RecordIdentity returns the id of the workspace that a record states; "" when the stream has no such field.
func RecordIdentity(record json.RawMessage, s *schemas.Stream) string {
	if record == nil || s.Identity == nil {
		return ""
	}
	return TextField(record, s.Identity)
}
