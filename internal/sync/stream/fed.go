package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// fedQueues says since when commits of a parent stream have not fed a queue, by the child stream and the column with the ids; 0: each commit feeds it. A
// stream file that was away while its parent changed has no other trace of the rows that it missed.
type fedQueues map[string]int64

// queueName is the name of a queue in fedQueues, and of a source of ids in the fact about a child stream.
func queueName(stream, column string) string { return stream + "." + column }

// isParent reports whether a commit of a stream puts its rows into the queue of a child stream.
func isParent(s, child *schemas.Stream) bool {
	return child.Read.UsesPendingIDs() && (slices.Contains(child.Read.Over.Streams, s.Name) || slices.Contains(child.Read.Over.Streams, s.Owner()))
}

// feedsKey is the key of the fact about the file with the fedQueues of a parent stream.
func feedsKey(workspace, parent string) string { return "queues fed by " + workspace + "." + parent }

// sourcesKey is the key of the fact about the file that names the sources whose stored rows a child stream has queued, separated by commas.
func sourcesKey(workspace, child string) string { return "sources of " + workspace + "." + child }

func readFed(ctx context.Context, work *load.Work, workspace, parent string) (fed fedQueues, err error) {
	text, err := work.Facts.Meta(ctx, feedsKey(workspace, parent))
	if err != nil || text == "" {
		return fedQueues{}, err
	}
	if err := json.Unmarshal([]byte(text), &fed); err != nil {
		return nil, fmt.Errorf("read which queues %s feeds: %w", parent, err)
	}
	return fed, nil
}

// noteFed notes the fedQueues of a parent stream, if they have changed.
func noteFed(ctx context.Context, work *load.Work, workspace, parent string, was, fed fedQueues) error {
	if maps.Equal(was, fed) {
		return nil
	}
	text, err := json.Marshal(fed)
	if err != nil {
		return fmt.Errorf("note which queues %s feeds: %w", parent, err)
	}
	return work.Records.NoteFact(ctx, feedsKey(workspace, parent), string(text))
}

// noteQueues notes which queues the commits of this run feed, and since when they no longer feed others, before the first commit.
func noteQueues(ctx context.Context, t *Task) error {
	return t.Run.Writer.Use(func(work *load.Work) error {
		was, err := readFed(ctx, work, t.Workspace.Name, t.Stream.Name)
		if err != nil {
			return err
		}
		fed := maps.Clone(was)
		for _, queue := range t.childQueues {
			name := queueName(queue.Stream, queue.Column)
			fed[name] = was[name]
		}
		for name, since := range was {
			if since == 0 && !slices.ContainsFunc(t.childQueues, func(q transform.ChildStream) bool { return queueName(q.Stream, q.Column) == name }) {
				fed[name] = t.Run.Started.Unix()
			}
		}
		return noteFed(ctx, work, t.Workspace.Name, t.Stream.Name, was, fed)
	})
}

// missedRows are the parent tables with rows that never came into the queue: those written while the stream's file was away, and all of a source that
// the file has named since.
func (t *queueReader) missedRows(ctx context.Context, work *load.Work) (missed []load.ParentTable, err error) {
	sources, err := work.Facts.Meta(ctx, sourcesKey(t.Workspace.Name, t.Stream.Name))
	if err != nil {
		return nil, err
	}
	column := t.Stream.Read.Over.Where
	for _, s := range t.Run.Runner.Catalogue.Streams() {
		if !isParent(s, t.Stream) {
			continue
		}
		fed, err := readFed(ctx, work, t.Workspace.Name, s.Name)
		if err != nil {
			return nil, err
		}
		since := fed[queueName(t.Stream.Name, column)]
		if sources != "" && !slices.Contains(strings.Split(sources, ","), queueName(s.Name, column)) {
			since = 1
		}
		if since > 0 {
			missed = append(missed, load.ParentTable{Table: transform.Tables(s)[0], Column: column, Written: time.Unix(since, 0)})
		}
	}
	return missed, nil
}

// noteQueued notes that the queue has all rows of its sources that it missed.
func (t *queueReader) noteQueued(ctx context.Context, work *load.Work) error {
	column := t.Stream.Read.Over.Where
	var sources []string
	for _, s := range t.Run.Runner.Catalogue.Streams() {
		if !isParent(s, t.Stream) {
			continue
		}
		sources = append(sources, queueName(s.Name, column))
		was, err := readFed(ctx, work, t.Workspace.Name, s.Name)
		if err != nil {
			return err
		}
		fed := maps.Clone(was)
		if name := queueName(t.Stream.Name, column); fed[name] > 0 {
			fed[name] = 0
		}
		if err := noteFed(ctx, work, t.Workspace.Name, s.Name, was, fed); err != nil {
			return err
		}
	}
	key, text := sourcesKey(t.Workspace.Name, t.Stream.Name), strings.Join(sources, ",")
	if noted, err := work.Facts.Meta(ctx, key); err != nil || noted == text {
		return err
	}
	return work.Records.NoteFact(ctx, key, text)
}
