package stream

import (
	"encoding/json"

	"aqueduck/schemas"
)

// TextField reads one field of a record, as text, by its path.
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

// RecordIdentity is the workspace's own id, when a record tells it.
func RecordIdentity(record json.RawMessage, s *schemas.Stream) string {
	if record == nil || s.Identity == nil {
		return ""
	}
	return TextField(record, s.Identity)
}
