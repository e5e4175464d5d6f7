// C++'s new and delete, from the allocator that DuckDB contains and uses for its buffers alone.
//
// DuckDB allocates plans, catalogue entries and values with new: millions of small objects in a run. With the C library's
// malloc, runs of many statements took a tenth more CPU time: docs/decisions/0040-duckdbs-allocator.md.
#include <cstdlib>
#include <new>

extern "C" {
// Weak: a build of DuckDB without this allocator falls back to malloc.
void *duckdb_je_malloc(std::size_t size) __attribute__((weak));
void duckdb_je_free(void *memory) __attribute__((weak));

// One arena, made at the start. With one for each thread, each keeps freed pages of its own, which cost a first run of 300,000 contacts a fifth of its
// memory. And where memory is limited, a thread that could not make an arena crashed, in place of an error about memory.
extern const char *duckdb_je_malloc_conf;
const char *duckdb_je_malloc_conf = "narenas:1";
}

static void *allocate(std::size_t size) noexcept {
	return duckdb_je_malloc ? duckdb_je_malloc(size) : std::malloc(size);
}

static void release(void *memory) noexcept {
	duckdb_je_free ? duckdb_je_free(memory) : std::free(memory);
}

void *operator new(std::size_t size) {
	for (;;) {
		if (void *memory = allocate(size ? size : 1)) {
			return memory;
		}
		std::new_handler handler = std::get_new_handler();
		if (!handler) {
			throw std::bad_alloc();
		}
		handler();
	}
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return allocate(size ? size : 1); }
void *operator new[](std::size_t size) { return operator new(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return allocate(size ? size : 1); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, std::size_t) noexcept { release(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete[](void *memory, std::size_t) noexcept { release(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { release(memory); }
