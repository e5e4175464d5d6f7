package verify

import (
	"fmt"
	"math"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/term"
	"aqueduck/load/compare"
	"aqueduck/load/facts"
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
	File     string           `json:"file"`
	Streams  []Verified       `json:"streams"`
	Findings []Finding        `json:"findings"`
	Requests int64            `json:"requests"` // sent for it
	Sampled  int64            `json:"sampled"`  // rows held against the source
	Differ   int64            `json:"differ"`   // those of them that differ
	Under    float64          `json:"under"`    // the share of rows that differ is below it, at 95 %; 1: nothing was sampled
	Whole    bool             `json:"whole"`    // nothing that can be asked was left out
	Given    problem.CLIFlags `json:"-"`
}

// Verified is one stream of a verification.
type Verified struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	How       string    `json:"how"`
	AsOf      time.Time `json:"as_of"`    // what changed since is no difference
	Sampled   int64     `json:"sampled"`  // rows held against the source
	Differ    int64     `json:"differ"`   // those of them that differ
	Missing   int       `json:"missing"`  // records of the source that no row has
	Stale     int       `json:"stale"`    // rows that are not as the source has them
	Ghost     int       `json:"ghost"`    // rows that the source no longer has
	Doubled   int       `json:"doubled"`  // rows that are there twice
	Under     float64   `json:"under"`    // as of a Verification
	Whole     bool      `json:"whole"`    // as of a Verification
	Requests  int64     `json:"requests"` // sent for it
	Error     string    `json:"error,omitempty"`
}

// Finding is one difference. Its id stays the same from one verification to the next.
type Finding struct {
	ID        string   `json:"id"`
	Workspace string   `json:"workspace"`
	Stream    string   `json:"stream"`
	Table     string   `json:"table"`
	Kind      string   `json:"kind"`
	Key       string   `json:"key"`
	Columns   []string `json:"columns,omitempty"`
	Accepted  bool     `json:"accepted"` // somebody has explained it
}

// Exit is the code that the verification ends the program with.
func (v *Verification) Exit() int {
	code := problem.ExitOK
	for _, s := range v.Streams {
		if s.Error != "" {
			code = problem.ExitFailed
		}
	}
	if slices.ContainsFunc(v.Findings, func(f Finding) bool { return !f.Accepted }) {
		code = problem.ExitBreached
	}
	return code
}

// workspaceVerifier holds one workspace against the published file.
type workspaceVerifier struct {
	runner    *runner.Runner
	workspace string
	client    *api.Client
	published *compare.Comparison
	states    []runlog.StreamState
	shapes    []facts.Shape
	hashKey   []byte
	options   VerifyOptions
	limit     int64
}

// confidenceLevel is the share of cases in which the bound of a verification holds.
const confidenceLevel = 0.95

// upperBound is the share of rows that differ which is not reached, at 95 %, when so many of the sampled do: the exact bound of
// the binomial distribution, which is 3/n where none differs.
func upperBound(sampled, differ int64) float64 {
	if sampled == 0 || differ >= sampled {
		return 1
	}
	if differ == 0 {
		return min(1, 3/float64(sampled))
	}
	low, high := float64(differ)/float64(sampled), 1.0
	for range 60 {
		p := (low + high) / 2
		if atMost(differ, sampled, p) > 1-confidenceLevel {
			low = p
		} else {
			high = p
		}
	}
	return high
}

// atMost is the probability of k or fewer hits in n draws.
func atMost(k, n int64, p float64) float64 {
	sum := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for i := range k + 1 {
		hit, _ := math.Lgamma(float64(i + 1))
		miss, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - hit - miss + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// Confidence says what the numbers of a sample mean.
func Confidence(sampled, differ int64, whole bool, bound float64) string {
	switch {
	case sampled == 0:
		return "nothing was compared"
	case whole:
		return fmt.Sprintf("%s of %s rows differ: all rows were compared", term.Thousands(differ), term.Thousands(sampled))
	}
	return fmt.Sprintf("%s of %s sampled rows differ: fewer than %s at 95 %% confidence", term.Thousands(differ), term.Thousands(sampled), term.Percent(bound))
}

// streamCheck holds one stream against the file.
type streamCheck struct {
	*workspaceVerifier
	stream  *schemas.Stream
	decoder *transform.Decoder // nil: the stream is not asked
	against compare.Baseline
	state   extract.State
	rows    int64
	cost    int64 // requests of reading all, about
	share   int64 // requests that it may use
	began   int64 // those that were sent before it

	records map[string]bool // keys that were judged
	differ  map[string]bool // those that differ
	seen    map[string]bool // keys that the list has
	found   []Finding
	result  Verified
}
