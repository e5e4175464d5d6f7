package extract

import (
	"context"
	"fmt"
	"time"
)

// switchPhase is the state with the window of a phase at hand: what is left of a history window waits while reading goes
// forward, and is gone on with afterwards. Every run goes forward first, and would begin it anew otherwise.
func (s State) switchPhase(to Phase) State {
	if to == Forward && s.Window != nil && s.Window.Kind == windowHistory {
		s.Paused = &SuspendedWindow{Window: *s.Window, Position: s.Position}
		s.Window, s.Position = nil, nil
	}
	if to == History && s.Window == nil && s.Paused != nil {
		s.Window, s.Position = &s.Paused.Window, s.Paused.Position
		s.Paused = nil
	}
	return s
}

// openForward begins a window from the mark to the server's now.
func (s *searchReader) openForward(ctx context.Context, changed bool) error {
	since := s.r.Stream.Read.Since
	s.window = Window{Kind: windowForward}
	if mark := s.state.SyncedTo; mark > 0 {
		overlap := since.Overlap
		if changed {
			overlap = max(overlap, changeOverlap)
		}
		s.window.From = max(0, mark-int64(overlap/time.Second))
		s.widenForRefresh(changed)
		if known := unixSeconds(s.r.Known); known > 0 && known < s.window.From {
			s.window.From, s.window.Before = known, s.window.From
		}
		return nil
	}
	now := s.c.ServerNow()
	if now.IsZero() {
		// The first window of all hangs on the server's clock, and our own is no stand-in for it.
		if _, _, err := FirstRecord(ctx, s.c, s.r.Stream); err != nil {
			return err
		}
		now = s.c.ServerNow()
	}
	if !now.IsZero() { // a server without a clock is read from the beginning
		s.window.From = max(0, now.Add(-since.Lag-firstForward).Unix(), unixSeconds(s.r.Start))
	}
	return nil
}

// widenForRefresh widens a window, when it is time, to the records whose silent changes are looked for.
func (s *searchReader) widenForRefresh(changed bool) {
	d := s.r.Stream.Read.Detail
	if d == nil || d.Every == 0 {
		return
	}
	now := s.c.ServerNow()
	if now.IsZero() {
		now = s.c.LocalNow()
	}
	if changed || now.Sub(time.Unix(s.state.Refreshed, 0)) >= d.Every {
		s.window.From, s.window.RereadAll = max(0, min(s.window.From, now.Add(-d.For).Unix())), true
	}
}

// historyComplete reports that the history was read further down than is wanted now: its start was put later since.
func (s *searchReader) historyComplete() bool {
	st := s.state
	return s.r.Phase == History && s.r.Since.IsZero() && s.r.Until.IsZero() && !st.HistoryDone && st.Window == nil && st.HistoryTo > 0 && st.HistoryTo <= unixSeconds(s.r.Start)
}

// openHistory begins the next window downward; false when there is none.
func (s *searchReader) openHistory() bool {
	start := max(0, unixSeconds(s.r.Start))
	to := s.state.HistoryTo
	if to <= start || s.state.SyncedTo == 0 {
		return false
	}
	span := max(int64(firstHistory/time.Second), 2*s.state.HistorySpan)
	s.window = Window{Kind: windowHistory, From: to - span, To: to}
	if span > int64(lastHistory/time.Second) || s.window.From < start {
		s.window.From = start
	}
	return true
}

// handleShortList draws the conclusion from a list that ended short of its own count. It is walked once more, for records may have come and
// gone; when it falls short again the stream fails, and what the window was to prove is not proven. The state is that of before it.
func (s *searchReader) handleShortList() State {
	st := s.state
	if s.explicit {
		st = s.r.State
	} else {
		st.Window, st.Position = nil, nil
	}
	if s.repeated {
		s.pendingError = s.walk.sourceError(fmt.Errorf("%w: it states %d, but %d were returned", errShort, s.statedTotal, s.statedTotal-s.missingRecords()))
		return st
	}
	s.repeated = true
	s.since, s.statedTotal, s.earlierKeys, s.earlierRows = s.window.From, 0, map[uint64]struct{}{}, 0
	s.previous, s.unsorted = 0, false
	s.walk = newWalk(s.c, s.remainingList(), nil)
	return st
}

// stateAfterWindow is the state after a window: only now a mark moves.
func (s *searchReader) stateAfterWindow() State {
	st := s.state
	st.Window, st.Position = nil, nil
	start := max(0, unixSeconds(s.r.Start))
	if s.window.Kind == windowHistory {
		st.HistorySpan = s.state.HistoryTo - s.window.From
		st.HistoryTo = s.window.From
		st.HistoryDone = st.HistoryTo <= start
		st.RereadAll = st.RereadAll && !st.HistoryDone
		return st
	}
	if s.state.SyncedTo == 0 {
		st.HistoryTo = s.window.From
		st.HistoryDone = st.HistoryTo <= start
		st.RereadAll = st.RereadAll && !st.HistoryDone
	}
	if s.r.Stream.Read.Detail != nil && (s.window.RereadAll || s.state.SyncedTo == 0) {
		st.Refreshed = s.windowWatermark()
	}
	st.SyncedTo = max(st.SyncedTo, s.windowWatermark())
	st.Version = s.c.Version()
	return st
}

// windowWatermark is the time up to which a forward window has read everything.
func (s *searchReader) windowWatermark() int64 {
	lag := int64(s.r.Stream.Read.Since.Lag / time.Second)
	switch {
	case s.window.To > 0 && !s.openedAt.IsZero() && s.c.ClocksDisagree():
		// By now the records have told more of the clocks than was known when the window began.
		return max(1, s.c.Now().Add(s.openedAt.Sub(s.c.LocalNow())).Unix()-lag)
	case s.window.To > 0:
		return s.window.To
	case s.unsorted:
		return s.window.From
	}
	// The server does not tell its time: records do. Their times may lie in the future, ours may be wrong: the earlier counts.
	return max(s.window.From, min(s.reached, s.c.LocalNow().Unix())-lag)
}
