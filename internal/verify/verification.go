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
	Requests        int64 // the limit of requests
	Deep            bool  // read everything, at any number of requests
}

// Verification is the result of comparing the source with the published file.
type Verification struct {
	File     string           `json:"file"`
	Streams  []Verified       `json:"streams"`
	Lakes    []VerifiedLake   `json:"lakes"`
	Findings []Finding        `json:"findings"`
	Requests int64            `json:"requests"` // requests sent
	Sampled  int64            `json:"sampled"`  // rows that were compared
	Differ   int64            `json:"differ"`   // of them: those that differ
	Under    float64          `json:"under"`    // the share of differing rows is below this with 95 % confidence; 1: nothing was compared
	Whole    bool             `json:"whole"`    // everything that can be read was read
	Given    problem.CLIFlags `json:"-"`
}

// Verified is the result for one stream.
type Verified struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	How       string    `json:"how"`
	AsOf      time.Time `json:"as_of,omitzero"`  // later changes are no differences; absent: the stream was not compared
	Sampled   int64     `json:"sampled"`         // rows that were compared
	Differ    int64     `json:"differ"`          // of them: those that differ
	Missing   int       `json:"missing"`         // records of the source without a row
	Stale     int       `json:"stale"`           // rows with another content than the source
	Ghost     int       `json:"ghost"`           // rows of records that the source does not have
	Doubled   int       `json:"doubled"`         // rows that exist twice
	Under     float64   `json:"under"`           // as in Verification
	Whole     bool      `json:"whole"`           // as in Verification
	Requests  int64     `json:"requests"`        // requests sent
	Class     string    `json:"class,omitempty"` // of the error for which it was not compared
	Error     string    `json:"error,omitempty"`
	Next      string    `json:"next,omitempty"`
}

// VerifiedLake is the result for the Parquet files of one workspace.
type VerifiedLake struct {
	Workspace string `json:"workspace"`
	How       string `json:"how"`
	File      string `json:"file,omitempty"`  // the published file that they belong to
	Tables    int    `json:"tables"`          // of the manifest
	Parts     int    `json:"parts"`           // of all tables
	Damages   int    `json:"damages"`         // number of its findings
	Whole     bool   `json:"whole"`           // parts and rows were compared
	Class     string `json:"class,omitempty"` // of the error for which they were not compared
	Error     string `json:"error,omitempty"`
	Next      string `json:"next,omitempty"`
}

// Finding is one difference, or one damage to the Parquet files, whose Key is a path. Its id is the same in every verification.
type Finding struct {
	ID        string   `json:"id"`
	Workspace string   `json:"workspace"`
	Stream    string   `json:"stream"`
	Table     string   `json:"table"`
	Kind      string   `json:"kind"`
	Key       string   `json:"key"`
	Columns   []string `json:"columns,omitempty"`
	Class     string   `json:"class,omitempty"` // of a difference that no row of the source explains
	What      string   `json:"what,omitempty"`
	Next      string   `json:"next,omitempty"`
	Accepted  bool     `json:"accepted"` // a person has accepted it
}

// Exit returns the exit code of the program.
func (v *Verification) Exit() int {
	code := problem.ExitOK
	if v.notCompared() > 0 {
		code = problem.ExitFailed
	}
	if slices.ContainsFunc(v.Findings, func(f Finding) bool { return !f.Accepted }) {
		code = problem.ExitBreached
	}
	return code
}

// notCompared is the number of streams, and of workspaces with Parquet files, that an error kept from being compared.
func (v *Verification) notCompared() (n int) {
	for _, s := range v.Streams {
		if s.Error != "" {
			n++
		}
	}
	for _, l := range v.Lakes {
		if l.Error != "" {
			n++
		}
	}
	return n
}

// workspaceVerifier compares one workspace with the published file.
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

// confidenceLevel is the probability that the bound of a verification holds.
const confidenceLevel = 0.95

// upperBound is the highest share of differing rows that a sample allows with 95 % confidence: the exact bound of the binomial distribution, which
// is 3/n when no row differs.
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

// Confidence says in words what the numbers of a sample mean.
func Confidence(sampled, differ int64, whole bool, bound float64) string {
	switch {
	case sampled == 0:
		return "nothing was compared"
	case whole:
		return fmt.Sprintf("%s of %s rows differ: all rows were compared", term.Thousands(differ), term.Thousands(sampled))
	}
	return fmt.Sprintf("%s of %s sampled rows differ: fewer than %s at 95 %% confidence", term.Thousands(differ), term.Thousands(sampled), term.Percent(bound))
}

// streamCheck compares one stream with the file.
type streamCheck struct {
	*workspaceVerifier
	stream  *schemas.Stream
	decoder *transform.Decoder // nil: the stream is not read
	against compare.Baseline
	state   extract.State
	rows    int64
	cost    int64 // estimated requests for reading everything
	share   int64 // requests that it may send
	began   int64 // requests that were sent before it

	records map[string]bool // keys that were compared
	differ  map[string]bool // keys that differ
	seen    map[string]bool // keys that the list has
	older   map[string]bool // keys whose record is older than its row
	sweep   extract.Sweep   // what the last page says of the list; zero: it is not read in full
	found   []Finding
	result  Verified
}
