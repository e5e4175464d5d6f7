package main

import (
	"context"
	"fmt"
	"io"
)

// recordedRatio is how many times the floor a first run of ratioContacts contacts cost when it was last measured: the median of ratioRuns runs.
// Change it with the code that changes it.
const recordedRatio = 3.0

const (
	ratioContacts = 50_000
	ratioRuns     = 5

	// worseBy is what fails: a ratio of medians moves by a tenth from one measurement to the next.
	worseBy = 1.2
)

// checkRatio measures first runs beside the floor, and fails when they cost a fifth more of it than recorded.
func checkRatio(ctx context.Context, w io.Writer) error {
	b := workspaceBench{contacts: ratioContacts, runs: ratioRuns}
	if err := b.withRecords(ctx, b.measureFirstSyncs); err != nil {
		return err
	}
	b.report.printReport(w)
	ratio := b.report.firstOfFloor()
	fmt.Fprintf(w, "\na first run costs %.2f times the floor, recorded: %.2f\n", ratio, recordedRatio)
	if ratio > worseBy*recordedRatio {
		return fmt.Errorf("a first run costs %.2f times the floor, more than a fifth above the recorded %.2f: find the commit that did it (go run ./tools/bench -profile DIR)", ratio, recordedRatio)
	}
	return nil
}
