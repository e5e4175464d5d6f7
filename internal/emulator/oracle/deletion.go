package oracle

import "aqueduck/internal/emulator/event"

// deletedConversations yields a row for each deleted conversation, those before hour 0 first.
func deletedConversations(o *Oracle, yield func(Row) bool) {
	for _, d := range o.log.Deletions {
		if !yield(Row{"id": d.ID, "deleted_at": d.At, "metrics_retained": d.KeepsMetrics}) {
			return
		}
	}
	for i := range o.log.Conversations {
		e := &o.log.Conversations[i]
		if e.Kind == event.ThreadDeleted && !yield(Row{"id": event.ConversationID(e.Num), "deleted_at": e.At, "metrics_retained": e.KeepsMetrics}) {
			return
		}
	}
}
