package sync

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
)

// FindRefusals returns why a run would refuse the directory of the warehouse as it is now: its owner and rights, its mark, and a damaged erasure log,
// emulator.json or hash.key. It changes nothing. What this user may not read is left out: the owner's run may.
func FindRefusals(r *runner.Runner) (found []*problem.Problem) {
	if err := layout.Refused(r.Dir); err != nil {
		found = append(found, runner.NotUsable(err))
	}
	if _, err := tombstone.Read(r.Dir); err != nil && !failure.Forbidden(err) {
		found = append(found, problem.Classify(fmt.Errorf("read the erasures: %w", err)))
	}
	text, err := os.ReadFile(r.Dir.EmulatorFile())
	if err == nil {
		var any json.RawMessage
		err = json.Unmarshal(text, &any)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !failure.Forbidden(err) {
		found = append(found, runlog.DamagedEmulator(r.Dir, err))
	}
	var damaged *problem.Problem
	if _, err := ReadHashKey(r); errors.As(err, &damaged) && !failure.Forbidden(err) {
		found = append(found, damaged)
	}
	return found
}
