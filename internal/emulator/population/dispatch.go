package population

import "aqueduck/internal/emulator/event"

// Dialogue returns the texts of a consultation.
func (o Origin) Dialogue(c *event.Consultation) *event.Dialogue {
	if o.Script != nil {
		return o.Script.Dialogue(c)
	}
	return drawDialogue(o.Cast, o.Seed, c)
}

// CallLines returns the transcript of a call, by the call's number.
func (o Origin) CallLines(call int32) []event.TranscriptLine {
	if o.Script != nil {
		return o.Script.CallLines(call)
	}
	return drawCallLines(o.Seed, call)
}

// Handling returns the pauses and resumptions of a conversation.
func (o Origin) Handling(num int32) []event.HandlingEvent {
	if o.Script != nil {
		return o.Script.Handling(num)
	}
	return drawHandling(o.Cast, num)
}

// SideTalks returns the side conversations of a conversation.
func (o Origin) SideTalks(num int32) []event.SideTalk {
	if o.Script != nil {
		return o.Script.SideTalks(num)
	}
	return drawSideTalks(o.Cast, num)
}

// BornContent returns the content of hour 0, with the number of edits until then.
func (o Origin) BornContent() [event.ContentKinds][]event.BornContent {
	if o.Script != nil {
		return o.Script.Content()
	}
	return drawBornContent(o.Seed, o.Start)
}

// Piece returns the properties of the nth piece of content of a kind.
func (o Origin) Piece(kind event.ContentKind, n int32) event.Piece {
	if o.Script != nil {
		return o.Script.Piece(kind, n)
	}
	return drawPiece(kind, n)
}

// Wording returns the text of a piece of content after a number of edits.
func (o Origin) Wording(kind event.ContentKind, n int32, edits int) event.Wording {
	if o.Script != nil {
		return o.Script.Wording(kind, n, edits)
	}
	return drawWording(o.Cast, o.Seed, kind, n, edits)
}

// ReportFacts returns the rows of one hour, counted from a year before hour 0.
func (o Origin) ReportFacts(set *event.Dataset, hour int) []event.ReportFact {
	if o.Script != nil {
		return o.Script.ReportFacts(set, hour)
	}
	return drawReportFacts(o.Cast, o.Seed, o.Contacts, o.Start, set, hour)
}

// ConversationReport returns the reported values of a conversation that do not follow from its parts.
func (o Origin) ConversationReport(num int32) event.ConversationReport {
	if o.Script != nil {
		return o.Script.ConversationReport(num)
	}
	return drawConversationReport(o.Seed, num)
}

// Actions returns the entries of the activity log in the year before hour 0.
func (o Origin) Actions(count int) []event.AdminAction {
	if o.Script != nil {
		return o.Script.Actions(count)
	}
	return drawAdminActions(o.Cast, o.Seed, o.Start, count)
}
