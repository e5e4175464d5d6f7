package core

import (
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// SetWorkspaceID makes contacts send another workspace's id, as a wrong token would.
func (w *Core) SetWorkspaceID(id string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.WorkspaceID = id
	w.NoteTerms(w.UnixNow())
}

// NoteTerms records the settings that the truth depends on, from a time on. The caller holds the lock.
func (w *Core) NoteTerms(at int64) {
	k := w.K()
	w.Terms = append(w.Terms, event.OracleTerms{At: at, Hours: w.HoursLived, Workspace: w.WorkspaceID, PartsCap: k.MostParts(), UsersOnly: k.UsersOnly,
		FormerAdmins: k.FormerAdmins, NoDynamicContent: k.NoDynamicContent, TranscriptLate: int64(k.TranscriptLate / time.Second),
		CallsLeftOut: k.CallsLeftOut, Redacted: map[knobs.Occurrence]event.RedactedMode{knobs.ByTurns: event.RedactedByTurns, knobs.Always: event.RedactedHidden, knobs.Never: event.RedactedWithoutWords}[k.HitlRedacted]})
}
