package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/config"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/compare"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/mask"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// Verify reads the sources of pipelines again, as far as the options allow, and compares. It takes no lock and writes nothing into the database:
// it compares with the file that is published when it begins. tell gets the estimated requests of a full verification before the first one.
func Verify(ctx context.Context, r *runner.Runner, pipelines []*config.Pipeline, o VerifyOptions, tell func(string)) (v *Verification, err error) {
	v = &Verification{File: r.Dir.Current(), Streams: []Verified{}, Lakes: []VerifiedLake{}, Findings: []Finding{}, Whole: true, Given: r.Given}
	if err := requireIntact(v.File); err != nil {
		return nil, err
	}
	held, err := compare.Compare(ctx, r.Dir, v.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = failure.AsUnreadable(errors.Join(err, held.Close())) }()
	streams := map[string][]*schemas.Stream{}
	for _, p := range pipelines {
		chosen, err := r.SelectStreams(p, &runner.Options{Select: o.Select, Exclude: o.Exclude})
		if err != nil {
			return nil, err
		}
		for _, name := range p.Workspaces(r.Config) {
			for _, s := range chosen {
				if !slices.Contains(streams[name], s) {
					streams[name] = append(streams[name], s)
				}
			}
		}
	}
	for _, name := range r.Config.NameList {
		if len(streams[name]) == 0 {
			continue
		}
		one := &workspaceVerifier{runner: r, workspace: name, published: held, options: o, limit: max(1, o.Requests/int64(len(streams)))}
		if err := one.verifyStreams(ctx, v, streams[name], tell); err != nil {
			return nil, fmt.Errorf("verify %s: %w", name, err)
		}
	}
	adviseOnGhosts(r.Config, v.Findings)
	v.Under = upperBound(v.Sampled, v.Differ)
	return v, recallAccepted(r, v)
}

// requireIntact refuses a published file that is not the one of its checksum. A missing checksum is for check to name; a file that cannot be read fails later.
func requireIntact(file string) error {
	err := layout.CheckSum(file, layout.SumFile(file))
	if err == nil || errors.Is(err, layout.ErrNoSum) || errors.As(err, new(*fs.PathError)) {
		return nil
	}
	return fmt.Errorf("%w: %w", failure.ErrUnreadable, err)
}

// adviseOnGhosts sets the next step of ghosts that stay, also after a full refresh, because no pipeline reads the streams that report deletions.
func adviseOnGhosts(c *config.Config, findings []Finding) {
	for i, f := range findings {
		if unread := c.UnreadReports(f.Workspace, f.Stream); f.Kind == "ghost" && f.Next == "" && len(unread) > 0 {
			findings[i].Next = "add " + strings.Join(unread, " and ") + ", which report deleted " + f.Stream + ", to a pipeline, then: aqueduck sync"
		}
	}
}

// verifyStreams compares every stream of the workspace, small ones first. Requests that they do not use are left for the others.
func (v *workspaceVerifier) verifyStreams(ctx context.Context, sum *Verification, streams []*schemas.Stream, tell func(string)) error {
	most := v.limit
	if v.options.Deep {
		most = 0
	}
	client, source, closing, err := plan.ConnectWorkspace(ctx, v.runner, v.workspace, most)
	if err != nil {
		return err
	}
	defer closing()
	v.client = client
	if err := v.prepareWorkspace(ctx, source); err != nil {
		return err
	}
	var checks []*streamCheck
	var cost int64
	for _, s := range streams {
		c, err := v.newStreamCheck(ctx, s)
		if err != nil {
			return err
		}
		checks = append(checks, c)
		cost += c.cost
	}
	slices.SortStableFunc(checks, func(a, b *streamCheck) int { return int(min(a.cost, math.MaxInt32) - min(b.cost, math.MaxInt32)) })
	if v.options.Deep {
		tell(fmt.Sprintf("%s: reading everything again takes about %s, %s at %d a minute", v.workspace, term.Count(int(cost), "request"),
			term.Duration(time.Duration(cost)*time.Minute/time.Duration(v.requestRate())), v.requestRate()))
	}
	for i, c := range checks {
		c.share = math.MaxInt64
		if !v.options.Deep {
			c.share = max(1, (v.limit-client.Requests())/int64(len(checks)-i))
		}
		c.began = client.Requests()
		if err := c.runCheck(ctx); err != nil {
			return err
		}
		sum.addResult(c)
	}
	sum.Requests += client.Requests()
	return v.checkLake(ctx, sum)
}

func (v *workspaceVerifier) requestRate() int {
	if n := v.runner.Config.Workspaces[v.workspace].RequestsPerMinute; n > 0 {
		return n
	}
	return sync.UsualRate
}

// prepareWorkspace checks that the token belongs to the workspace of the file, and reads its checkpoints.
func (v *workspaceVerifier) prepareWorkspace(ctx context.Context, source runner.Source) (err error) {
	pinned := load.Workspace{}
	err = v.published.Query(ctx, "SELECT schema, id, emulated FROM _sync.workspaces", func(_ []string, row []any) error {
		if row != nil && runlog.AsText(row[0]) == v.workspace {
			pinned = load.Workspace{Schema: v.workspace, ID: runlog.AsText(row[1]), Emulated: row[2] == true}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if pinned.Schema != "" && pinned.Emulated != source.Emulated {
		return sync.RefuseKind(v.runner.Dir, v.workspace, source.Emulated, pinned, true)
	}
	if known := sync.IdentityStreams(v.runner, v.workspace, pinned.ID); len(known) > 0 { // one record of the first is enough
		record, _, err := extract.FirstRecord(ctx, v.client, known[0])
		if err != nil && !problem.IsUnavailable(err) {
			return sync.Unidentified(err)
		}
		if id := stream.RecordIdentity(record, known[0]); id != "" && pinned.ID != "" && id != pinned.ID {
			return &problem.Problem{Class: "config", What: fmt.Sprintf("the token belongs to workspace %s, but the file holds workspace %s", id, pinned.ID),
				Next: "give the token of " + pinned.ID + ", or another directory: --dir DIR"}
		}
	}
	err = v.published.Query(ctx, "SELECT schema, stream, synced_to, state FROM _sync.checkpoints", func(_ []string, row []any) error {
		if row != nil && runlog.AsText(row[0]) == v.workspace {
			v.states = append(v.states, runlog.StreamState{Workspace: v.workspace, Stream: runlog.AsText(row[1]), SyncedTo: runlog.AsTime(row[2]), State: runlog.AsText(row[3])})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.shapes, err = facts.Shapes(ctx, v.published.Reader, v.workspace); err != nil {
		return err
	}
	return v.readHashKey(ctx)
}

// readHashKey reads the key of hashed columns. With another key every hash would be a difference.
func (v *workspaceVerifier) readHashKey(ctx context.Context) (err error) {
	if !v.runner.Config.HasHashes(v.runner.Catalogue) {
		return nil
	}
	if v.hashKey, err = sync.ReadHashKey(v.runner); err != nil {
		return err
	}
	mark, used, err := mask.HashedBy(ctx, v.published.Reader)
	if err != nil {
		return err
	}
	if missing := sync.HashKeyMissing(v.runner.Dir, v.hashKey, mark, used); missing != nil {
		return missing
	}
	return nil
}

// newStreamCheck plans the comparison of one stream.
func (v *workspaceVerifier) newStreamCheck(ctx context.Context, s *schemas.Stream) (*streamCheck, error) {
	s = warehouse.WidenStream(s, v.shapes, false) // compare values with the types of the stored columns
	c := &streamCheck{workspaceVerifier: v, stream: s, records: map[string]bool{}, differ: map[string]bool{}, seen: map[string]bool{}, older: map[string]bool{},
		result: Verified{Workspace: v.workspace, Stream: s.Name, Under: 1}}
	switch {
	case s.IsExportFamily() || s.Dataset != "":
		c.result.How = "not compared: exports are audited when they are read"
	case s.Read.ByIDs() && !s.Read.UsesPendingIDs():
		c.result.How = "not compared: this stream only completes rows of another stream"
	}
	if c.result.How != "" {
		return c, nil
	}
	hash, drop := v.runner.Config.MaskedNames(s)
	key := v.hashKey
	if key == nil {
		key = []byte{0}
	}
	var err error
	c.decoder, err = transform.NewDecoder(s, transform.Options{APIVersion: v.runner.Config.Workspaces[v.workspace].APIVersion,
		Hash: hash, Drop: drop, HashKey: key})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	return c, c.planCheck(ctx, v.runner.Config.Settings(s.Name).Start)
}

// addResult adds the result of one stream.
func (sum *Verification) addResult(c *streamCheck) {
	c.countResults()
	sum.Streams = append(sum.Streams, c.result)
	sum.Findings = append(sum.Findings, c.found...)
	sum.Sampled += c.result.Sampled
	sum.Differ += c.result.Differ
	sum.Whole = sum.Whole && (c.decoder == nil || c.result.Whole)
}
