package transform

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// memoryPool keeps the memory of batches that were released, for the batches to come: memory that is new costs more to touch
// than a record costs to decode. It holds no more than was handed out and came back.
type memoryPool struct {
	mu   sync.Mutex // guards what follows: a batch may be released anywhere
	free [][]byte
	out  int // buffers handed out and not back
}

// lendBuffer makes a buffer of what a column holds; its memory comes back when the last holder releases it.
func (p *memoryPool) lendBuffer(b []byte) *memory.Buffer {
	p.mu.Lock()
	p.out++
	p.mu.Unlock()
	return memory.NewBufferWithAllocator(b, p)
}

// takeRoom gives memory for a little more than size bytes, aligned for every type; nil for none.
func (p *memoryPool) takeRoom(size int) []byte {
	if size == 0 {
		return nil
	}
	size += size / 16 // batches are cut at one size, but never quite
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

// Free takes memory back. With Allocate and Reallocate it makes the pool a memory.Allocator, which a buffer wants.
func (p *memoryPool) Free(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out--
	p.free = append(p.free, b)
}

// dropFree gives up what is kept.
func (p *memoryPool) dropFree() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}

// Allocate gives zeroed memory.
func (p *memoryPool) Allocate(size int) []byte { return memory.DefaultAllocator.Allocate(size) }

// Reallocate makes memory longer or shorter.
func (p *memoryPool) Reallocate(size int, b []byte) []byte {
	return memory.DefaultAllocator.Reallocate(size, b)
}
