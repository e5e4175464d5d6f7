package event

import (
	"fmt"
	"strconv"
)

// SubscriptionID returns the id of the nth subscription type.
func SubscriptionID(n int32) int64 { return 100 + int64(n) }

// CallID returns the id of the nth call.
func CallID(n int32) string { return strconv.Itoa(88100000 + 3*int(n)) }

// CompanySegmentID returns the id of the nth segment of companies.
func CompanySegmentID(n int32) int64 { return 5600000 + 13*int64(n) }

// contentBase is the first id of each kind of content. The ids of articles and internal articles are integers, the others are text.
var contentBase = [ContentKinds]int64{9400000, 7300000, 3310000, 480, 510, 660, 2200, 5100}

// ContentID returns the id of the nth piece of content of a kind.
func ContentID(kind ContentKind, n int32) int64 { return contentBase[kind] + 11*int64(n) }

// ContentText returns ContentID as text.
func ContentText(kind ContentKind, n int32) string {
	return strconv.FormatInt(ContentID(kind, n), 10)
}

// VersionID returns the id of the nth version of a data connector.
func VersionID(connector int32, n int) string {
	return strconv.FormatInt(880000+1000*int64(connector)+int64(n), 10)
}

// ConversationID returns the id of the nth conversation: a long number as text.
func ConversationID(num int32) string { return strconv.FormatInt(ThreadBase+7*int64(num), 10) }

// PartID returns the id of the part at an index in a conversation or a ticket. Different conversations have equal part ids.
func PartID(num int32, place int) int64 { return 7100000 + 3*int64(place) + int64(num%5) }

// ThreadBase is the first id of conversations and tickets.
const ThreadBase = 215470000000000

// MessageID returns the id of the message that began a conversation.
func MessageID(num int32) string { return strconv.FormatInt(3300000000+int64(num)*3, 10) }

// WorkflowID is the id of the workflow that asks for ratings.
const WorkflowID = "43210"

// ActionID returns the id of the nth entry of the admins' activity log: text that looks random and is a function of the seed.
func ActionID(seed uint64, n int32) string {
	a, b := MixBits(seed^uint64(n)<<8^0xac7), MixBits(seed+uint64(n)<<16+0xac7)
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a>>32), uint16(a>>16), uint16(a), uint16(b>>48), b&0xffffffffffff)
}

// SegmentID returns the id of the nth segment of contacts.
func SegmentID(n int32) int64 { return 5500000 + 13*int64(n) }

// TagID returns the id of the nth tag.
func TagID(n int32) int64 { return 7522900 + 7*int64(n) }

// NoteID returns the id of the nth note about a contact.
func NoteID(n int32) int64 { return 16000000 + int64(n) }

// TicketID returns the id of the nth ticket. Tickets and conversations share a number range (api-notes), so ticket ids lie between
// conversation ids.
func TicketID(num int32) string { return strconv.FormatInt(ThreadBase+3+7*int64(num), 10) }

// TicketNumber returns the number by which people call the nth ticket.
func TicketNumber(num int32) string { return strconv.Itoa(int(num) + 1) }

// tagName returns the name of the nth tag.
func tagName(n int32) string {
	name := TagWords[int(n)%len(TagWords)]
	if round := int(n) / len(TagWords); round > 0 {
		name += " " + strconv.Itoa(round+1)
	}
	return name
}
