package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// Pulled is what a reader's copy of a warehouse took from an object store.
type Pulled struct {
	File  string    `json:"file"`              // where readers find it
	Run   string    `json:"run"`               // the run that published it, as in PublishedFile
	Sent  time.Time `json:"sent_at"`           // to the store, by the sender's clock
	New   bool      `json:"new"`               // the copy was older, or there was none
	Bytes int64     `json:"transferred_bytes"` // what the copy lacked
}

// String says it for people.
func (p Pulled) String() string {
	if !p.New {
		return fmt.Sprintf("%s is the file of %s already", p.File, p.Sent.UTC().Format(time.DateTime))
	}
	return fmt.Sprintf("%s is the file of %s now; %.1f MB were transferred", p.File, p.Sent.UTC().Format(time.DateTime), float64(p.Bytes)/1e6)
}

// Pull gives the warehouse the file of the object store that its configuration names, if it has another one. Older files are removed beyond those that
// the configuration keeps; after an erasure all of them.
func Pull(ctx context.Context, r *runner.Runner) (p Pulled, err error) {
	store, err := remote.OpenStore(r.Config.Warehouse.Remote)
	if err != nil {
		return p, err
	}
	if err := r.PrepareDir(); err != nil {
		return p, err
	}
	held, err := r.Lock(ctx, 0)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	taken, err := store.Take(ctx, r.Dir, r.MachineNow())
	if err != nil {
		return p, err
	}
	if taken.File.Name == "" {
		return p, &problem.Problem{Class: "data", What: r.Config.Warehouse.Remote + " has no published file", Next: "set warehouse.remote in pipelines.yaml to this place where aqueduck sync runs"}
	}
	p = Pulled{File: r.Dir.Link(), Run: taken.File.RunID(), Sent: taken.Moved, New: taken.New, Bytes: taken.Bytes}
	if !taken.Erased { // this file may have the person, too
		if err := r.Dir.BeginErasing(); err != nil {
			return p, r.Dir.Explain(err)
		}
	}
	if !taken.New && !r.Dir.Erasing() { // a pull that died may have left older files
		return p, nil
	}
	kept := layout.Retention{Keep: r.Config.Warehouse.Publish.Keep, Clean: func(context.Context, string) error { return errNotRewritten }}
	if _, err := layout.PruneFiles(ctx, r.Dir, kept); err != nil {
		return p, err
	}
	if r.Dir.Erasing() && taken.Erased {
		return p, r.Dir.EndErasing()
	}
	return p, nil
}

// errNotRewritten is why a copy does not keep older files after an erasure.
var errNotRewritten = errors.New("a copy of the object store does not rewrite older files")
