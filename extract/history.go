package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"aqueduck/extract/internal/windows"
)

// historyReader reads the history of a searched stream downward. Its windows adjoin each other. Several are read side by side,
// each by a searchReader of its own; the caller gets pages of the newest first. HistoryTo moves over a window only when it and all
// windows above it are done.
type historyReader struct {
	*Reader
	windows    []*openWindow // newest first, down from HistoryTo
	planner    windows.Planner
	lowestSeen *windows.Seen    // of the lowest window; nil: an earlier reading began it
	arrived    chan *openWindow // those whose page has come; it has room for all
	running    sync.WaitGroup
	under      context.Context    // of all pages under way; nil: none was asked for
	cancel     context.CancelFunc // ends under
}

// openWindow is a window of the history that is being read, or was done before one above it.
type openWindow struct {
	HistoryWindow
	reader *searchReader // nil: not begun in this reading
	seen   *windows.Seen // of this window, for the one below
	above  *windows.Seen // of the window above; nil: an earlier reading began that
	total  int64         // total_count of its first page in this reading
	known  bool          // total is known, or the window comes from an earlier reading
	asked  bool          // a page is under way, or has come and waits for the caller
	come   bool          // page and err are there
	page   Page
	err    error
}

func readHistory(r *Reader) func(context.Context) (Page, error) {
	h := &historyReader{Reader: r, arrived: make(chan *openWindow, mostWindows), planner: windows.Planner{Left: r.r.Left, Oldest: unixSeconds(r.r.Oldest)}}
	h.state = h.state.switchPhase(History)
	if w := h.state.Window; w != nil {
		h.windows = append(h.windows, &openWindow{HistoryWindow: HistoryWindow{Window: *w, Position: h.state.Position}, known: true})
		// Only windows that adjoin those above are taken over: HistoryTo must not pass over a gap.
		for _, below := range h.state.Below {
			if below.Window.To == h.lowest() {
				h.windows = append(h.windows, &openWindow{HistoryWindow: below, known: true})
			}
		}
	}
	if h.ahead != nil {
		h.ahead.asked = h
	}
	return h.nextHistoryPage
}

// lowest is how far the windows reach down.
func (h *historyReader) lowest() int64 {
	if n := len(h.windows); n > 0 {
		return h.windows[n-1].Window.From
	}
	return h.state.HistoryTo
}

func (h *historyReader) nextHistoryPage(ctx context.Context) (Page, error) {
	// A later start may lie above what was read already. Then a page without records ends the history.
	if len(h.windows) == 0 && h.passedStart() {
		return h.endHistory(), nil
	}
	w, err := h.nextArrived(ctx)
	if err != nil {
		return Page{}, err
	}
	// The window moves on only when its page is taken: no state may claim a page that the caller does not have.
	page := w.page
	w.asked, w.come, w.page = false, false, Page{}
	if w.Done = page.Boundary; w.Done {
		w.reader = nil
	}
	w.Position = page.State.Position
	page.State = h.stateNow()
	return page, nil
}

// passedStart reports whether the history was read further back than a new, later start asks for.
func (r *Reader) passedStart() bool {
	return !r.state.HistoryDone && r.state.HistoryTo > 0 && r.state.HistoryTo <= unixSeconds(r.r.Start)
}

// endHistory is a page without records that ends the history.
func (r *Reader) endHistory() Page {
	st := r.state
	st.HistoryDone, st.RereadAll = true, false
	return Page{State: st, Boundary: true, Total: -1, Done: -1, Left: 0}
}

// nextArrived is the newest window with a page for the caller; io.EOF when the history is read.
func (h *historyReader) nextArrived(ctx context.Context) (*openWindow, error) {
	for {
		if err := h.askWindows(ctx); err != nil {
			return nil, err
		}
		for _, w := range h.windows {
			if !w.come {
				continue
			}
			// A panic of the page's goroutine is raised again in the call that takes the page.
			var fault *PanicError
			if errors.As(w.err, &fault) {
				panic(fault)
			}
			return w, w.err
		}
		if err := h.awaitPage(ctx); err != nil {
			return nil, err
		}
	}
}

// awaitPage waits until a page comes, and takes note of all that have come.
func (h *historyReader) awaitPage(ctx context.Context) error {
	select {
	case w := <-h.arrived:
		w.notePage()
	case <-ctx.Done():
		return fmt.Errorf("read %s: %w", h.r.Stream.Name, ctx.Err())
	}
	// Pages that have come meanwhile are noted too, so that the newest of them is taken first.
	for {
		select {
		case w := <-h.arrived:
			w.notePage()
		default:
			return nil
		}
	}
}

// notePage notes that the page under way has come.
func (w *openWindow) notePage() {
	w.come = true
	if !w.known && w.err == nil {
		w.known, w.total = true, max(0, w.page.Total)
	}
}

// askWindows asks for the next page of the newest unfinished windows, as many as may be read side by side. Those below rest while
// requests wait for the pace, and after a refusal, which reduces it. It returns io.EOF when no window is left.
func (h *historyReader) askWindows(ctx context.Context) error {
	aside, unfinished := h.windowsAside(), 0
	for i := 0; unfinished == 0 || unfinished < aside && !h.c.PaceIsUsed(); i++ {
		if i == len(h.windows) && !h.openBelow() {
			break
		}
		w := h.windows[i]
		// A done window only waits for those above it.
		if w.Done {
			continue
		}
		unfinished++
		if !w.asked {
			h.askPage(ctx, w)
		}
	}
	if unfinished == 0 {
		return io.EOF
	}
	return nil
}

// counted is the window for the planner.
func (w *openWindow) counted() windows.Counted {
	return windows.Counted{From: w.Window.From, To: w.Window.To, Total: w.total, Known: w.known, Above: w.above}
}

// askPage asks for the next page of a window, in a goroutine of its own where the caller closes the Reader.
func (h *historyReader) askPage(ctx context.Context, w *openWindow) {
	if w.reader == nil {
		w.reader = h.searchOf(w)
	}
	w.asked = true
	// Without read-ahead the caller does not close the Reader, so no goroutine may outlive this call.
	if h.ahead == nil {
		w.page, w.err = w.reader.nextWindowPage(ctx)
		w.notePage()
		return
	}
	if h.under == nil {
		h.under, h.cancel = context.WithCancel(ctx)
	}
	h.running.Go(func() {
		w.readPage(h.under)
		h.arrived <- w
	})
}

// readPage reads the window's next page. Its panic is one of the caller that takes the page.
func (w *openWindow) readPage(ctx context.Context) {
	defer RecoverPanic(&w.err)
	w.page, w.err = w.reader.nextWindowPage(ctx)
}

// searchOf is a reader of one window.
func (h *historyReader) searchOf(w *openWindow) *searchReader {
	own := &Reader{c: h.c, r: h.r, state: h.state}
	if h.ahead != nil {
		own.ahead = &readAhead{wanted: h.ahead.wanted}
	}
	s := &searchReader{Reader: own, window: w.Window, resumed: w.Position != nil, above: w.above, own: w.seen}
	s.startWindow(w.Position)
	return s
}

// stop implements stopper.
func (h *historyReader) stop() {
	if h.under == nil {
		return
	}
	h.cancel()
	h.running.Wait()
	for _, w := range h.windows {
		if w.reader != nil {
			w.reader.ahead.stop()
		}
	}
}

// stateNow is the state when the caller has stored all pages that it has. HistoryTo moves over the windows at the top that are
// done.
func (h *historyReader) stateNow() State {
	st := h.state
	start := max(0, unixSeconds(h.r.Start))
	// Done windows below an unfinished one stay in the state: HistoryTo says that everything above it was read (T138).
	for len(h.windows) > 0 && h.windows[0].Done {
		w := h.windows[0].Window
		h.planner.Take(h.windows[0].counted())
		st.HistorySpan, st.HistoryTo = st.HistoryTo-w.From, w.From
		st.HistoryDone = st.HistoryTo <= start
		st.RereadAll = st.RereadAll && !st.HistoryDone
		h.windows = h.windows[1:]
	}
	st.Window, st.Position, st.Below = nil, nil, nil
	last := len(h.windows)
	for last > 0 && !h.windows[last-1].Done && h.windows[last-1].Position == nil {
		last-- // nothing is stored of these: a later reading may divide them otherwise
	}
	for i, w := range h.windows[:last] {
		if i > 0 {
			st.Below = append(st.Below, w.HistoryWindow)
			continue
		}
		st.Window, st.Position = new(w.Window), w.Position
	}
	return st
}

// openBelow opens the next window below the others; false when the history ends there, or when the planner waits for a count.
func (h *historyReader) openBelow() bool {
	// Before the first forward window is complete, nobody knows where the history begins.
	to, start := h.lowest(), max(0, unixSeconds(h.r.Start))
	if to <= start || h.state.SyncedTo == 0 {
		return false
	}
	counted := make([]windows.Counted, len(h.windows))
	for i, w := range h.windows {
		counted[i] = w.counted()
	}
	span := h.planner.NextSpan(counted, to, h.state.HistorySpan, h.windowsAside())
	if span == 0 {
		return false
	}
	w := Window{Kind: windowHistory, From: to - span, To: to}
	if span > int64(windows.Longest/time.Second) || w.From < start {
		w.From = start
	}
	opened := &openWindow{HistoryWindow: HistoryWindow{Window: w}, seen: windows.NewSeen(w.From), above: h.lowestSeen}
	h.windows, h.lowestSeen = append(h.windows, opened), opened.seen
	return true
}
