package cli

import (
	"cmp"
	"io"
	"sync"
)

// resultWriter passes on what commands say, and knows of the first that could not be written: what is there is then not the whole.
type resultWriter struct {
	to io.Writer

	mu  sync.Mutex // guards err: runs of a schedule write side by side
	err error
}

func (w *resultWriter) Write(text []byte) (int, error) {
	n, err := w.to.Write(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
	return n, err
}

func (w *resultWriter) writeError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
