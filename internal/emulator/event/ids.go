package event

import (
	"fmt"
	"strconv"
)

// SubscriptionID is the id of the nth subscription type.
func SubscriptionID(n int32) int64 { return 100 + int64(n) }

// CallID is the id of the nth call.
func CallID(n int32) string { return strconv.Itoa(88100000 + 3*int(n)) }

// CompanySegmentID is the id of the nth segment of companies.
func CompanySegmentID(n int32) int64 { return 5600000 + 13*int64(n) }

// contentBase is added to numbers to give ids: those of articles and internal articles are integers, others are text.
var contentBase = [ContentKinds]int64{9400000, 7300000, 3310000, 480, 510, 660, 2200, 5100}

// ContentID is the id of the nth piece of content of a kind.
func ContentID(kind ContentKind, n int32) int64 { return contentBase[kind] + 11*int64(n) }

// ContentText is that id as text.
func ContentText(kind ContentKind, n int32) string {
	return strconv.FormatInt(ContentID(kind, n), 10)
}

// VersionID is the id of the nth version of a data connector.
func VersionID(connector int32, n int) string {
	return strconv.FormatInt(880000+1000*int64(connector)+int64(n), 10)
}

// ConversationID is the id of the nth conversation: a long number in text, as such services have.
func ConversationID(num int32) string { return strconv.FormatInt(ThreadBase+7*int64(num), 10) }

// PartID is the id of the part at a place of a conversation or a ticket: they begin again in each.
func PartID(num int32, place int) int64 { return 7100000 + 3*int64(place) + int64(num%5) }

// ThreadBase is added to numbers to give the ids of conversations and tickets.
const ThreadBase = 215470000000000

// MessageID is that of the message that a conversation began with.
func MessageID(num int32) string { return strconv.FormatInt(3300000000+int64(num)*3, 10) }

// WorkflowID is the id of the one workflow that answers ratings.
const WorkflowID = "43210"

// ActionID is the id of an entry: text that looks random and stays the same.
func ActionID(seed uint64, n int32) string {
	a, b := MixBits(seed^uint64(n)<<8^0xac7), MixBits(seed+uint64(n)<<16+0xac7)
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a>>32), uint16(a>>16), uint16(a), uint16(b>>48), b&0xffffffffffff)
}

// SegmentID is the id of the nth segment of contacts.
func SegmentID(n int32) int64 { return 5500000 + 13*int64(n) }

// TagID is the id of the nth tag.
func TagID(n int32) int64 { return 7522900 + 7*int64(n) }

// NoteID is the id of the nth note about a contact.
func NoteID(n int32) int64 { return 16000000 + int64(n) }

// TicketID is the id of the nth ticket. Tickets share the numbers of conversations (api-notes): their ids lie between those.
func TicketID(num int32) string { return strconv.FormatInt(ThreadBase+3+7*int64(num), 10) }

// TicketNumber is what people call the nth ticket by.
func TicketNumber(num int32) string { return strconv.Itoa(int(num) + 1) }

// TagName is the name of the nth tag.
func TagName(n int32) string {
	name := TagWords[int(n)%len(TagWords)]
	if round := int(n) / len(TagWords); round > 0 {
		name += " " + strconv.Itoa(round+1)
	}
	return name
}
