package emulator

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// actID is the id of an entry: text that looks random and stays the same.
func actID(seed uint64, n int32) string {
	a, b := mix(seed^uint64(n)<<8^0xac7), mix(seed+uint64(n)<<16+0xac7)
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a>>32), uint16(a>>16), uint16(a), uint16(b>>48), b&0xffffffffffff)
}

// fillAct fills a text of an entry's kind in.
func fillAct(a act, text string) string {
	other, zones := everyone[a.Other], [2]string{"Europe/Berlin", "UTC"}
	if a.Zone != nil {
		zones = *a.Zone
	}
	return strings.NewReplacer("{admin}", everyone[a.Admin].name, "{other}", other.name, "{id}", strconv.FormatInt(other.id, 10),
		"{before}", zones[0], "{after}", zones[1], "%d", strconv.Itoa(int(a.N)%97)).Replace(text)
}

// actIP is where it was done from; of some entries nobody knows.
func actIP(a act) string {
	if a.N%23 == 7 {
		return ""
	}
	return fmt.Sprintf("198.51.100.%d", int(a.N)%250)
}

// appendAct writes an entry with the fields of workspace-api 2.7, in the words of a version. oldLimit is what a change of an
// assignment limit was called before 2.14; "" is the usual.
func appendAct(b []byte, a act, seed uint64, v version, oldLimit string) []byte {
	kind := actKinds[a.Kind]
	name, metadata := kind.name, kind.metadata
	if kind.old != "" && !v.atLeast(v214) {
		name, metadata = cmp.Or(oldLimit, kind.old), kind.oldMetadata
	}
	who := everyone[a.Admin]
	b = append(append(append(b, `{"id":"`...), actID(seed, a.N)...), `","performed_by":{"type":"admin","id":"`...)
	b = strconv.AppendInt(b, who.id, 10)
	b = append(b, `","email":`...)
	b = appendString(b, who.email)
	b = append(appendText(append(b, `,"ip":`...), actIP(a)), `},"metadata":`...)
	b = append(b, fillAct(a, metadata)...)
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, a.At, 10)
	b = append(append(append(b, `,"activity_type":"`...), name...), `","activity_description":`...)
	b = appendString(b, fillAct(a, kind.sentence))
	return append(b, '}')
}

// adminLogs are the rows of the activity log, in the words of the newest version.
func (o *oracle) adminLogs(yield func(map[string]any) bool) {
	for _, a := range o.acts {
		kind, who := actKinds[a.Kind], everyone[a.Admin]
		row := map[string]any{"id": actID(o.make.seed, a.N), "activity_type": kind.name, "activity_description": fillAct(a, kind.sentence),
			"metadata": fillAct(a, kind.metadata), "created_at": a.At, "performed_by_type": "admin",
			"performed_by_id": strconv.FormatInt(who.id, 10), "performed_by_email": who.email, "performed_by_ip": orNull(actIP(a))}
		if !yield(row) {
			return
		}
	}
}
