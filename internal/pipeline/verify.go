package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/load/compare"
	"aqueduck/load/facts"
	"aqueduck/load/mask"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// VerifyOptions say how much is read again.
type VerifyOptions struct {
	Select, Exclude []string
	Requests        int64 // at most
	Deep            bool  // everything, whatever it costs
}

// Verification is what came of reading the source again and holding it against the published file.
type Verification struct {
	File     string     `json:"file"`
	Streams  []Verified `json:"streams"`
	Findings []Found    `json:"findings"`
	Requests int64      `json:"requests"`
	Sampled  int64      `json:"sampled"`
	Differ   int64      `json:"differ"`
	Under    float64    `json:"under"` // the share of rows that differ is below it, at 95 %; 1: nothing was sampled
	Whole    bool       `json:"whole"` // nothing that can be asked was left out
	given    Given
}

// Verified is one stream of a verification.
type Verified struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	How       string    `json:"how"`
	AsOf      time.Time `json:"as_of"` // what changed since is no difference
	Sampled   int64     `json:"sampled"`
	Differ    int64     `json:"differ"`
	Missing   int       `json:"missing"`
	Stale     int       `json:"stale"`
	Ghost     int       `json:"ghost"`
	Doubled   int       `json:"doubled"`
	Under     float64   `json:"under"`
	Whole     bool      `json:"whole"`
	Requests  int64     `json:"requests"`
	Error     string    `json:"error,omitempty"`
}

// Found is one difference. Its id stays the same from one verification to the next.
type Found struct {
	ID        string   `json:"id"`
	Workspace string   `json:"workspace"`
	Stream    string   `json:"stream"`
	Table     string   `json:"table"`
	Kind      string   `json:"kind"`
	Key       string   `json:"key"`
	Columns   []string `json:"columns,omitempty"`
	Accepted  bool     `json:"accepted"`
}

// Exit is the code that the verification ends the program with.
func (v *Verification) Exit() int {
	code := ExitOK
	for _, s := range v.Streams {
		if s.Error != "" {
			code = ExitFailed
		}
	}
	if slices.ContainsFunc(v.Findings, func(f Found) bool { return !f.Accepted }) {
		code = ExitBreached
	}
	return code
}

// verifier holds one workspace against the published file.
type verifier struct {
	runner    *Runner
	workspace string
	client    *extract.Client
	held      *compare.Comparison
	states    []StreamState
	shapes    []facts.Shape
	hashKey   []byte
	options   VerifyOptions
	limit     int64
}

// Verify reads the sources of pipelines again, as far as the options let it, and compares. It takes no lock and writes
// nothing into the warehouse's database: what is compared is the file that readers have when it begins. The cost of reading
// everything is told before it is.
func Verify(ctx context.Context, r *Runner, pipelines []*Pipeline, o VerifyOptions, tell func(string)) (v *Verification, err error) {
	v = &Verification{File: r.Dir.Current(), Streams: []Verified{}, Findings: []Found{}, Whole: true, given: r.Given}
	held, err := compare.Compare(ctx, r.Dir, v.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	streams := map[string][]*schemas.Stream{}
	for _, p := range pipelines {
		chosen, err := r.streams(p, &Options{Select: o.Select, Exclude: o.Exclude})
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
	for _, name := range r.Config.names {
		if len(streams[name]) == 0 {
			continue
		}
		one := &verifier{runner: r, workspace: name, held: held, options: o, limit: max(1, o.Requests/int64(len(streams)))}
		if err := one.all(ctx, v, streams[name], tell); err != nil {
			return nil, fmt.Errorf("verify %s: %w", name, err)
		}
	}
	v.Under = under(v.Sampled, v.Differ)
	return v, recallAccepted(r, v)
}

// all holds every stream of the workspace against the file, the small ones first: what they leave is for the others.
func (v *verifier) all(ctx context.Context, sum *Verification, streams []*schemas.Stream, tell func(string)) error {
	most := v.limit
	if v.options.Deep {
		most = 0
	}
	client, source, closing, err := ConnectWorkspace(ctx, v.runner, v.workspace, most)
	if err != nil {
		return err
	}
	defer closing()
	v.client = client
	if err := v.prepare(ctx, source); err != nil {
		return err
	}
	var checks []*check
	var cost int64
	for _, s := range streams {
		c, err := v.check(ctx, s)
		if err != nil {
			return err
		}
		checks = append(checks, c)
		cost += c.cost
	}
	slices.SortStableFunc(checks, func(a, b *check) int { return int(min(a.cost, math.MaxInt32) - min(b.cost, math.MaxInt32)) })
	if v.options.Deep {
		tell(fmt.Sprintf("%s: reading everything again takes about %s, %s at %d a minute", v.workspace, many(int(cost), "request"),
			brief(time.Duration(cost)*time.Minute/time.Duration(v.rate())), v.rate()))
	}
	for i, c := range checks {
		c.share = math.MaxInt64
		if !v.options.Deep {
			c.share = max(1, (v.limit-client.Requests())/int64(len(checks)-i))
		}
		c.began = client.Requests()
		if err := c.run(ctx); err != nil {
			return err
		}
		sum.take(c)
	}
	sum.Requests += client.Requests()
	return nil
}

func (v *verifier) rate() int {
	if n := v.runner.Config.Workspaces[v.workspace].RequestsPerMinute; n > 0 {
		return n
	}
	return usualRate
}

// prepare makes sure that the token is for the workspace that the file holds, and reads how far it was read.
func (v *verifier) prepare(ctx context.Context, source Source) (err error) {
	pinned := load.Workspace{}
	err = v.held.Query(ctx, "SELECT schema, id, emulated FROM _sync.workspaces", func(_ []string, row []any) error {
		if row != nil && str(row[0]) == v.workspace {
			pinned = load.Workspace{Schema: v.workspace, ID: str(row[1]), Emulated: row[2] == true}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if pinned.Schema != "" && pinned.Emulated != source.Emulated {
		return mixed(&workspace{name: v.workspace, source: source}, pinned)
	}
	for _, s := range v.runner.Catalogue.Streams() {
		if s.Identity == nil || s.Read.ByIDs() {
			continue
		}
		record, _, err := v.client.One(ctx, s)
		if err != nil && !lacking(err) {
			return unidentified(err)
		}
		if id := identity(record, s); id != "" && pinned.ID != "" && id != pinned.ID {
			return &Problem{Class: "config", What: fmt.Sprintf("the token belongs to workspace %s, the file holds workspace %s", id, pinned.ID),
				Next: "give the token of " + pinned.ID + ", or another directory: --dir DIR"}
		}
		break
	}
	err = v.held.Query(ctx, "SELECT schema, stream, synced_to, state FROM _sync.checkpoints", func(_ []string, row []any) error {
		if row != nil && str(row[0]) == v.workspace {
			v.states = append(v.states, StreamState{Workspace: v.workspace, Stream: str(row[1]), SyncedTo: when(row[2]), State: str(row[3])})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.shapes, err = facts.Shapes(ctx, v.held.Reader, v.workspace); err != nil {
		return err
	}
	return v.lookForKey(ctx)
}

// lookForKey reads the key that hashed columns were made with: with another one every hash would be a difference.
func (v *verifier) lookForKey(ctx context.Context) (err error) {
	if !v.runner.Config.hashes(v.runner.Catalogue) {
		return nil
	}
	if v.hashKey, err = v.runner.Dir.ReadHashKey(); err != nil {
		return fmt.Errorf("read the key for hashed columns: %w", err)
	}
	mark, used, err := mask.HashedBy(ctx, v.held.Reader)
	if err != nil {
		return err
	}
	if missing := keyMissing(v.runner.Dir, v.hashKey, mark, used); missing != nil {
		return missing
	}
	return nil
}

// check plans how a stream is held against the file.
func (v *verifier) check(ctx context.Context, s *schemas.Stream) (*check, error) {
	s = widened(s, v.shapes, false) // a value is what it is in a column as wide as it is stored
	c := &check{verifier: v, stream: s, records: map[string]bool{}, differ: map[string]bool{}, seen: map[string]bool{},
		result: Verified{Workspace: v.workspace, Stream: s.Name, Under: 1}}
	switch {
	case s.Family() || s.Dataset != "":
		c.result.How = "not asked: exports are audited when they come"
	case s.Read.ByIDs() && !s.Read.Pending():
		c.result.How = "not asked: by id, where other streams leave something open"
	}
	if c.result.How != "" {
		return c, nil
	}
	settings := v.runner.Config.Settings(s.Name)
	key := v.hashKey
	if key == nil {
		key = []byte{0}
	}
	var err error
	c.decoder, err = transform.NewDecoder(s, transform.Options{APIVersion: v.runner.Config.Workspaces[v.workspace].APIVersion,
		Hash: settings.Hash, Drop: settings.Drop, HashKey: key})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	return c, c.place(ctx, settings.Start)
}

// take adds up what came of one stream.
func (sum *Verification) take(c *check) {
	c.close()
	sum.Streams = append(sum.Streams, c.result)
	sum.Findings = append(sum.Findings, c.found...)
	sum.Sampled += c.result.Sampled
	sum.Differ += c.result.Differ
	sum.Whole = sum.Whole && (c.decoder == nil || c.result.Whole)
}
