package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/runner"
)

// TestFirstSyncThatEndsSoonPublishesOnce: its readers wait a little longer and then have everything. A long one publishes the newest data first.
func TestFirstSyncThatEndsSoonPublishesOnce(t *testing.T) {
	t.Parallel()
	for answer, want := range map[time.Duration]int{time.Second: 1, 20 * time.Second: 2} {
		b := newBed(t, tinyConfig(67)).keepingOlder()
		b.space.RunBetween(func(int) { b.space.Advance(answer) })
		b.syncOnce(runner.Options{})
		b.space.RunBetween(nil)
		files, err := b.runner.Dir.PublishedFiles()
		if err != nil {
			t.Fatal(err)
		}
		if (len(files) > 1) != (want > 1) {
			t.Errorf("with answers of %s: %d files were published: %v", answer, len(files), files)
		}
	}
}
