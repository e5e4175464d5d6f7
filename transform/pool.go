package transform

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// memoryPool keeps the memory of released batches for the next ones: touching new memory costs more than decoding a record. What a batch had no
// use for is dropped at its end.
type memoryPool struct {
	mu    sync.Mutex // guards what follows: any goroutine may release a batch
	free  []freeRoom
	out   int  // buffers lent and not yet released
	batch int  // number of the batch that takes room, or took it last
	ended bool // this batch has ended
}

// freeRoom is released memory.
type freeRoom struct {
	bytes []byte
	batch int // that was under way, or had ended, when it was released
}

// lendBuffer makes an Arrow buffer of b. Its memory returns to the pool when the last reference is released.
func (p *memoryPool) lendBuffer(b []byte) *memory.Buffer {
	p.mu.Lock()
	p.out++
	p.mu.Unlock()
	return memory.NewBufferWithAllocator(b, p)
}

// takeRoom returns empty memory with capacity for slightly more than size bytes, aligned for every type; nil for size 0.
func (p *memoryPool) takeRoom(size int) []byte {
	if size == 0 {
		return nil
	}
	size += size / 16 // batches have similar sizes, not equal ones
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		p.batch, p.ended = p.batch+1, false
	}
	best := -1
	for i, r := range p.free {
		if cap(r.bytes) >= size && (best < 0 || cap(r.bytes) < cap(p.free[best].bytes)) {
			best = i
		}
	}
	if best >= 0 && cap(p.free[best].bytes) <= 2*size+64 {
		b := p.free[best].bytes
		p.free[best] = p.free[len(p.free)-1]
		p.free = p.free[:len(p.free)-1]
		return b[:0]
	}
	words := make([]int64, 0, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), cap(words)*8)[:0]
}

// Free returns memory to the pool. With Allocate and Reallocate it makes the pool a memory.Allocator, as Arrow's buffers require.
func (p *memoryPool) Free(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out--
	p.free = append(p.free, freeRoom{b, p.batch})
}

// endBatch drops the memory that was free when the batch began, and that it did not take.
func (p *memoryPool) endBatch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.free = slices.DeleteFunc(p.free, func(r freeRoom) bool { return r.batch < p.batch })
}

// dropFree drops the memory that is kept.
func (p *memoryPool) dropFree() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}

// Allocate returns zeroed memory.
func (p *memoryPool) Allocate(size int) []byte { return memory.DefaultAllocator.Allocate(size) }

// Reallocate resizes memory.
func (p *memoryPool) Reallocate(size int, b []byte) []byte {
	return memory.DefaultAllocator.Reallocate(size, b)
}
