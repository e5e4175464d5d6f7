package diskfault

// processTracer is one process under watch. All that it does it does on one thread, which the kernel knows the tracer by.
type processTracer struct {
	Watch
	leader int
	known  map[int]bool // threads that have begun
	err    error        // the first of After
}
