package cli

import (
	"cmp"
	"io"
	"sync"
)

// resultWriter writes the output of commands and keeps the first write error: the output is then incomplete.
type resultWriter struct {
	to    io.Writer
	width int // of the terminal that is written to, in characters; 0: it is none

	mu  sync.Mutex // guards err: runs of a schedule write at the same time
	err error
}

func (w *resultWriter) Write(text []byte) (int, error) {
	n, err := w.to.Write(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
	return n, err
}

// Columns returns the width of the terminal, or 0: then results are printed completely.
func (w *resultWriter) Columns() int { return w.width }

func (w *resultWriter) writeError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
