package render

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// AppendTag writes a tag by its number, with a URL when it is a tag of a contact (workspace-api 2.2).
func AppendTag(cast *event.Cast, b []byte, n int32, url bool) []byte {
	id := strconv.FormatInt(event.TagID(n), 10)
	b = append(append(append(b, `{"type":"tag","id":"`...), id...), `","name":`...)
	b = jsontext.AppendString(b, cast.TagName(n))
	if url {
		b = append(append(append(b, `,"url":"/tags/`...), id...), '"')
	}
	return append(b, '}')
}

// AppendSubscription writes a subscription type by its number, in the form that contacts have.
func AppendSubscription(cast *event.Cast, b []byte, n int32) []byte {
	p := &jsontext.Writer{Bytes: b}
	jsontext.WriteRecord(p, subscriptionType(cast, n, 0))
	return p.Bytes
}
