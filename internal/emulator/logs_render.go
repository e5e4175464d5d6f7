package emulator

import (
	"cmp"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// fillAct fills a text of an entry's kind in.
func fillAct(a event.AdminAction, text string) string {
	other, zones := event.Everyone[a.Other], [2]string{}
	if a.Zone != nil {
		zones = *a.Zone
	}
	return strings.NewReplacer("{admin}", event.Everyone[a.Admin].Name, "{other}", other.Name, "{id}", strconv.FormatInt(other.ID, 10),
		"{before}", zones[0], "{after}", zones[1], "%d", strconv.Itoa(a.Count)).Replace(text)
}

// appendAct writes an entry with the fields of workspace-api 2.7, in the words of a version. oldLimit is what a change of an
// assignment limit was called before 2.14; "" is the usual.
func appendAct(b []byte, a event.AdminAction, v version, oldLimit string) []byte {
	kind := actKinds[a.Kind]
	name, metadata := kind.name, kind.metadata
	if kind.old != "" && !v.atLeast(v214) {
		name, metadata = cmp.Or(oldLimit, kind.old), kind.oldMetadata
	}
	who := event.Everyone[a.Admin]
	b = append(append(append(b, `{"id":"`...), a.ID...), `","performed_by":{"type":"admin","id":"`...)
	b = strconv.AppendInt(b, who.ID, 10)
	b = append(b, `","email":`...)
	b = jsontext.AppendString(b, who.Email)
	b = append(jsontext.AppendText(append(b, `,"ip":`...), a.IP), `},"metadata":`...)
	b = append(b, fillAct(a, metadata)...)
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, a.At, 10)
	b = append(append(append(b, `,"activity_type":"`...), name...), `","activity_description":`...)
	b = jsontext.AppendString(b, fillAct(a, kind.sentence))
	return append(b, '}')
}
