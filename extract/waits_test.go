package extract

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"aqueduck/extract/api"
)

// TestWaitsForShowsWhyAStreamWaits while its requests wait: for their turn after a refusal, for the next try after a failure.
func TestWaitsForShowsWhyAStreamWaits(t *testing.T) {
	t.Parallel()
	answers := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}
	a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		if len(answers) > 0 {
			w.WriteHeader(answers[0])
			answers = answers[1:]
			return
		}
		_, _ = w.Write([]byte(`{"type":"list","data":[],"total_count":0}`)) // the client may have gone
	})
	var told []string
	var c *api.Client
	c = a.newClient(t, func(o *api.Options) {
		o.Wait = func(ctx context.Context, d time.Duration) error {
			told = append(told, c.WaitsFor(sweepStream()))
			return a.Clock.Wait(ctx, d)
		}
	})
	if _, err := NewReader(c, Request{Stream: sweepStream(), Phase: Forward}).Next(t.Context()); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if told = slices.Compact(told); !slices.Contains(told, api.ForRateLimit) || !slices.Contains(told, api.ForNextTry) || slices.Contains(told, "") || c.WaitsFor(sweepStream()) != "" {
		t.Errorf("told %q, and afterwards %q", told, c.WaitsFor(sweepStream()))
	}
}
