package transform

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// memoryPool keeps the memory of released batches for the next ones: touching new memory costs more than decoding a record. It
// never holds more than was released.
type memoryPool struct {
	mu   sync.Mutex // guards what follows: any goroutine may release a batch
	free [][]byte
	out  int // buffers lent and not yet released
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
	best := -1
	for i, b := range p.free {
		if cap(b) >= size && (best < 0 || cap(b) < cap(p.free[best])) {
			best = i
		}
	}
	if best >= 0 && cap(p.free[best]) <= 2*size+64 {
		b := p.free[best]
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
	p.free = append(p.free, b)
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
