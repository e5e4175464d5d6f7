package export

import "aqueduck/extract"

// withoutJob returns a copy of an export's state without the job that an earlier run left.
func withoutJob(e *extract.Export) *extract.Export {
	state := *e
	state.Job = nil
	return &state
}
