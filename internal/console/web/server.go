package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServeUntilDone answers requests until the context ends; active requests then have a few seconds to finish. ending is called when that begins. With a
// certificate and its key, both files, it serves TLS.
func ServeUntilDone(ctx context.Context, l net.Listener, h http.Handler, cert, key string, log *slog.Logger, ending func()) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	if log != nil {
		server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	}
	server.RegisterOnShutdown(ending)
	ended := make(chan error, 1)
	go func() {
		if cert != "" {
			ended <- server.ServeTLS(l, cert, key)
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := server.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // readers that are still active are disconnected
	}
	if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}
