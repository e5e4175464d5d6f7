package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

// LastLine is the one line that scripts may depend on.
func (v *Verification) LastLine() string {
	word := "OK"
	if v.Exit() != problem.ExitOK {
		word = "FAILED"
	}
	accepted := 0
	for _, f := range v.Findings {
		if f.Accepted {
			accepted++
		}
	}
	return fmt.Sprintf("%s verify streams=%d sampled=%d differ=%d findings=%d accepted=%d requests=%d",
		word, len(v.Streams), v.Sampled, v.Differ, len(v.Findings), accepted, v.Requests)
}

// verifyState is what verifications remember, without a key or a value of anybody: beside the database, so that they need
// neither its lock nor a run.
type verifyState struct {
	Format   int                  `json:"format"`
	Found    []string             `json:"found"`    // ids of the last verification's differences
	Accepted map[string]time.Time `json:"accepted"` // those that somebody has explained, and when
}

func verifyStatePath(r *runner.Runner) string { return filepath.Join(r.Dir.State(), "verify.json") }

func readVerifyState(r *runner.Runner) (verifyState, error) {
	n := verifyState{Format: 1, Accepted: map[string]time.Time{}}
	text, err := os.ReadFile(verifyStatePath(r))
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return n, &problem.Problem{Class: "config", What: "read " + verifyStatePath(r), Err: err, Next: "remove the file, then accept the differences again"}
	}
	return n, nil
}

func (n verifyState) writeState(path string) error {
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, append(text, '\n'), 0o600)
}

// recallAccepted marks what was accepted before, and remembers what was found.
func recallAccepted(r *runner.Runner, v *Verification) error {
	n, err := readVerifyState(r)
	if err != nil {
		return err
	}
	n.Found = []string{}
	for i, f := range v.Findings {
		_, v.Findings[i].Accepted = n.Accepted[f.ID]
		n.Found = append(n.Found, f.ID)
	}
	return n.writeState(verifyStatePath(r))
}

// Accept explains differences that the last verification found: they are told, and fail no later one.
func Accept(r *runner.Runner, ids []string) error {
	n, err := readVerifyState(r)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(n.Found, id) {
			return &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: fmt.Sprintf("the last verification found no difference %q", id),
				Next: "list the differences with their ids: aqueduck verify"}
		}
		n.Accepted[id] = r.Now().UTC()
	}
	return n.writeState(verifyStatePath(r))
}
