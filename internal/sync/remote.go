package sync

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/load/layout"
)

// TakeRemote begins from the file of the object store where another machine sent one, if the configuration names a store. note is for the report;
// "" if there is nothing to say. The caller holds the lock.
func TakeRemote(ctx context.Context, r *runner.Runner) (note string, err error) {
	store, _, err := openStore(r)
	if err != nil || store == nil {
		return "", err
	}
	taken, err := store.Take(ctx, r.Dir, r.MachineNow())
	if taken.New {
		r.Log.Info("took the published file from the object store", "file", taken.File.Name, "bytes", taken.Bytes)
	}
	return taken.Note, err
}

// SendRemote sends the published file to the object store, if the configuration names one and it is not there yet. note is for the report; "" if
// there is nothing to say. The caller holds the lock.
func SendRemote(ctx context.Context, r *runner.Runner) (note string, err error) {
	store, keep, err := openStore(r)
	if err != nil || store == nil {
		return "", err
	}
	stay := layout.Retention{Keep: keep, Replaced: map[string]bool{}}
	for _, record := range runlog.PublishRecords(ctx, []string{r.Dir.Current()}) {
		stay.Replaced[record.Replaces] = true
	}
	return store.Send(ctx, r.Dir, stay, r.MachineNow())
}

// MirrorPublished makes the tables of the mirror equal to the published file, if the configuration names a mirror. notes are for the report. The caller holds
// the lock.
func MirrorPublished(ctx context.Context, r *runner.Runner) (notes []string, err error) {
	if r.Mirror == nil || r.Config == nil || r.Config.Warehouse.Mirror.Location == "" || r.Dir.Current() == "" {
		return nil, nil
	}
	return r.Mirror(ctx, r)
}

// mirrorRun is MirrorPublished at the end of a run. An error stands in the report: the run itself is published, and the next run does what is missing.
func mirrorRun(ctx context.Context, r *stream.Run) {
	if r.Reported.After != nil || r.Reported.Held != nil { // the object store does not have the file, or there is no new one
		return
	}
	notes, err := MirrorPublished(ctx, r.Runner)
	for _, note := range notes {
		r.AddNote(note)
	}
	if err != nil {
		r.Reported.After = problem.Classify(err)
		r.Reported.After.What += "; the run itself is published on this machine"
	}
}

// shareWait bounds what the end of a run waits for its object store.
const shareWait = 20 * time.Second

// shareRun tells the object store how a run ended, so that other machines show it. An error is only logged: the next run tells.
func shareRun(ctx context.Context, r *runner.Runner, past *runlog.PastRun) {
	store, _, err := openStore(r)
	if err == nil && store == nil {
		return
	}
	if err == nil {
		host, unnamed := os.Hostname()
		if unnamed != nil {
			host = "a machine without a name"
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shareWait)
		defer cancel()
		state := remote.ReadState(r.Dir)
		err = store.ChangeRuns(ctx, func(former []byte) ([]byte, error) {
			shared, err := runlog.ReadShared(former).AddRun(ctx, r.Dir, past, host, state != nil && state.Whole, r.Catalogue)
			if err != nil {
				return nil, err
			}
			return json.MarshalIndent(shared, "", "  ")
		})
	}
	if err != nil {
		r.Log.Warn("the object store did not get the end of the run: status on other machines does not show it", "run", past.Run, "error", err)
	}
}

// openStore returns the object store of a warehouse, nil if it has none, and how many older files stay there. A command without a configuration
// uses the store of the last run.
func openStore(r *runner.Runner) (store *remote.Store, keep int, err error) {
	var place string
	if r.Config != nil {
		place, keep = r.Config.Warehouse.Remote, r.Config.Warehouse.Publish.Keep
	} else {
		place, keep = remote.PlaceOf(r.Dir), math.MaxInt
	}
	if place != "" {
		store, err = remote.OpenStore(place)
	}
	return store, keep, err
}

// sendPublished is SendRemote after a publish. An error stands in the report, unless a later publish of the run is sent: the run itself is published
// on this machine, and the next run sends again.
func sendPublished(ctx context.Context, r *stream.Run) {
	note, err := SendRemote(ctx, r.Runner)
	if note != "" {
		r.AddNote(note)
	}
	r.Reported.Unsent = nil
	if err != nil {
		r.Reported.Unsent = problem.Classify(err)
		r.Reported.Unsent.What += "; the run itself is published on this machine"
	}
}
