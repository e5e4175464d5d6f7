package diskfault

// processTracer traces one process. It works on one thread, because the kernel accepts ptrace calls only from the thread that attached.
type processTracer struct {
	Watch
	leader int
	known  map[int]bool // threads that have started
	err    error        // first error of Watch.After
}
