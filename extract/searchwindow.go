package extract

import (
	"context"
	"fmt"
	"time"

	"aqueduck/extract/internal/windows"
)

// switchPhase is the state with the window of the phase as the current one. An unfinished history window is suspended during a
// forward phase and resumed afterwards: every run reads forward first, and would otherwise begin the history window anew.
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

// openForward begins a window from the watermark, minus the lookback window, to the server's now.
func (s *searchReader) openForward(ctx context.Context, changed bool) error {
	since := s.r.Stream.Read.Since
	s.window = Window{Kind: windowForward}
	// The index shows some records late: each window begins before the watermark and reads them again (T6).
	if watermark := s.state.SyncedTo; watermark > 0 {
		lookback := since.Overlap
		if changed {
			lookback = max(lookback, changeOverlap)
		}
		s.window.From = max(0, watermark-int64(lookback/time.Second))
		s.widenForRefresh(changed)
		// The newest stored record belongs into the window, as evidence that the list still has it.
		if known := unixSeconds(s.r.Known); known > 0 && known < s.window.From {
			s.window.From, s.window.Before = known, s.window.From
		}
		return nil
	}
	now := s.c.ServerNow()
	if now.IsZero() {
		// The first window begins at a time of the server. The local clock may be wrong and must not replace it.
		if _, _, err := FirstRecord(ctx, s.c, s.r.Stream); err != nil {
			return err
		}
		now = s.c.ServerNow()
	}
	if !now.IsZero() { // without the server's time the window begins at 0
		s.window.From = max(0, now.Add(-since.Lag-firstForward).Unix(), unixSeconds(s.r.Start))
	}
	return nil
}

// shortenFirst begins the first forward window of a new stream anew, and shorter, when its list states many records. It is read
// alone and published before the history, whose windows are read side by side.
func (s *searchReader) shortenFirst(total int64) bool {
	now := s.c.ServerNow()
	if s.state.SyncedTo > 0 || s.window.Kind != windowForward || s.window.From == 0 || s.explicit || s.resumed || s.shortened ||
		total <= windows.Fewest || now.IsZero() || s.windowsAside() == 1 {
		return false
	}
	s.shortened = true
	s.ahead.stop()
	span := max(3600, (now.Unix()-s.window.From)*windows.Fewest/total)
	s.window.From = now.Unix() - span
	s.startWindow(nil)
	return true
}

// widenForRefresh widens a window to `refresh: {for}` when `refresh: {every}` has passed: its records are read by id also when
// their times have not changed (T58).
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

// openHistory begins the next window of the backfill; false when there is none.
func (s *searchReader) openHistory() bool {
	start := max(0, unixSeconds(s.r.Start))
	to := s.state.HistoryTo
	if to <= start || s.state.SyncedTo == 0 {
		return false
	}
	span := max(int64(windows.First/time.Second), 2*s.state.HistorySpan)
	s.window = Window{Kind: windowHistory, From: to - span, To: to}
	if span > int64(windows.Longest/time.Second) || s.window.From < start {
		s.window.From = start
	}
	return true
}

// handleShortList handles a list that ended short, or may have skipped records. The window is walked once more, because records may have moved or disappeared
// meanwhile. When the list ends short again the stream fails. Both times the state from before the window is returned, so that the
// watermark does not advance.
func (s *searchReader) handleShortList() State {
	// The state must not claim this window, whose records are not complete.
	st := s.state
	if s.explicit {
		st = s.r.State
	} else {
		st.Window, st.Position = nil, nil
	}
	if s.repeated {
		s.pendingError = s.walk.sourceError(fmt.Errorf("%w: it states %d, but %d were returned", errShort, max(s.statedTotal, s.firstRows), s.distinctRows()))
		return st
	}
	// The second walk begins without the counts, keys and times of the first: it has to show all records by itself.
	s.repeated, s.firstRows = true, s.distinctRows()
	s.since, s.statedTotal, s.mostStated, s.earlierKeys, s.earlierRows = s.window.From, 0, 0, map[uint64]struct{}{}, 0
	s.previous, s.reached, s.settledTo, s.unsorted, s.cursorDeaths, s.reachedAtDeath = 0, 0, 0, false, 0, 0
	s.walk = s.walkRest(nil)
	return st
}

// stateAfterWindow is the state after a window. Only here the watermark advances.
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
	// The history begins where the first forward window does.
	if s.state.SyncedTo == 0 {
		st.HistoryTo = s.window.From
		st.HistoryDone = st.HistoryTo <= start
		st.RereadAll = st.RereadAll && !st.HistoryDone
	}
	// This window has read all recent records by id, so the time until the next `refresh` begins.
	if s.r.Stream.Read.Detail != nil && (s.window.RereadAll || s.state.SyncedTo == 0) {
		st.Refreshed = s.windowWatermark()
	}
	st.SyncedTo = max(st.SyncedTo, s.windowWatermark())
	st.Version = s.c.Version()
	return st
}

// windowWatermark is the time up to which a complete forward window has read everything.
func (s *searchReader) windowWatermark() int64 {
	lag := int64(s.r.Stream.Read.Since.Lag / time.Second)
	switch {
	case s.window.To > 0 && !s.openedAt.IsZero() && s.c.ClocksDisagree():
		// The records' times may have shown since the window began which of the two clocks is wrong.
		return max(1, s.c.Now().Add(s.openedAt.Sub(s.c.LocalNow())).Unix()-lag)
	case s.window.To > 0:
		return s.window.To
	case s.unsorted:
		return s.window.From
	}
	// Without a Date header only the records' times are known. They may lie in the future, and the local clock may be wrong: take the earlier.
	return max(s.window.From, min(s.reached, s.c.LocalNow().Unix())-lag)
}
