package conversations

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// PlayThread logs what a script has for a conversation. One that was deleted meanwhile changes no more. If it is a message, its author and its time are
// returned, otherwise "".
func (w *Desk) PlayThread(h *population.ThreadHappening) (author string, at int64) {
	e := h.Event
	if e.Kind == event.ThreadOpened {
		h.Thread.Num = int32(len(w.Threads))
	}
	if e.Num = h.Thread.Num; FitThreadEvent(&e, w.Threads) {
		if p := &e.With.Part; p.Type == "call_summary" && p.Call == "" {
			p.Call = event.CallID(h.Thread.Call)
		}
		w.RecordThreadEvent(e)
		switch {
		case e.Kind == event.ThreadOpened:
			return e.With.Begun.Source.Author.ID, e.At
		case e.Kind == event.ThreadPartAdded && e.With.Part.Body != "" && e.With.Part.Type != "note":
			return e.With.Part.Author.ID, e.At
		}
	}
	return "", 0
}

// FitThreadEvent gives the part of an event its id. It reports whether the thread still changes.
func FitThreadEvent(e *event.ThreadEvent, list []Thread) bool {
	if e.Kind == event.ThreadOpened {
		return true
	}
	if e.Num < 0 || list[e.Num].Deleted {
		return false
	}
	if e.Kind == event.ThreadPartAdded {
		e.With.Part.ID = event.PartID(e.Num, int(list[e.Num].parts))
	}
	return true
}

// PlayConsultation logs a consultation about a conversation, which was not deleted meanwhile. Its parts are places until now.
func (w *Desk) PlayConsultation(of *population.ScriptedThread, one event.Consultation, base int64) {
	if of.Num < 0 || w.Threads[of.Num].Deleted {
		return
	}
	one.Conv, one.N, one.LoggedAt = of.Num, simulatedBase+int32(len(w.ConsultationLog)), base
	one.Part = event.PartID(of.Num, int(one.Part))
	if one.Sent = max(one.Sent, 0); one.Sent > 0 {
		one.Sent = event.PartID(of.Num, int(one.Sent))
	}
	w.ConsultationLog = append(w.ConsultationLog, one)
	w.ServedConsultations[of.Num] = append(w.ServedConsultations[of.Num], one)
}
