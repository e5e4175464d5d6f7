package transform

import (
	"fmt"
	"strings"
	"testing"
)

// TestMemoryThatNoBatchNeedsIsDropped: a batch of long texts leaves memory that later batches of short ones have no use for.
func TestMemoryThatNoBatchNeedsIsDropped(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{})
	pool := &b.emitter.memory
	held := func() (bytes int) {
		for _, r := range pool.free {
			bytes += cap(r.bytes)
		}
		return bytes
	}
	long := strings.Repeat("x", 1<<20)
	b.appendAll(fmt.Sprintf(`{"id":"1","t":%q}`, long)).takeRows()
	if held() < 1<<20 {
		t.Fatalf("the memory of the batch is not kept for the next one: %d bytes", held())
	}
	b.appendAll(fmt.Sprintf(`{"id":"1","t":%q}`, long)).takeRows()
	if held() < 1<<20 || held() > 3<<20 {
		t.Errorf("two equal batches leave %d bytes", held())
	}
	for i := range 3 {
		b.appendAll(fmt.Sprintf(`{"id":"1","t":"%d"}`, i)).takeRows()
	}
	if held() > 1<<16 {
		t.Errorf("short batches leave %d bytes", held())
	}
}
