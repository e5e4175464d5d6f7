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

// LastLine is the last line of output. Its form is stable, for scripts.
func (v *Verification) LastLine() string {
	accepted := 0
	for _, f := range v.Findings {
		if f.Accepted {
			accepted++
		}
	}
	failed, compared := "", v.compared()
	word := "OK"
	switch {
	case v.Exit() != problem.ExitOK:
		word = "FAILED"
	case v.IsEmpty():
		word = "NOTHING"
	}
	if n := v.notCompared(); n > 0 {
		failed = fmt.Sprintf(" not_compared=%d", n)
	}
	return fmt.Sprintf("%s verify streams=%d%s sampled=%d differ=%d findings=%d accepted=%d requests=%d",
		word, compared, failed, v.Sampled, v.Differ, len(v.Findings), accepted, v.Requests)
}

// compared is the number of streams of which something was compared.
func (v *Verification) compared() (n int) {
	for _, s := range v.Streams {
		if s.Error == "" && (s.Sampled > 0 || s.Whole) { // whole: a list without a record, too
			n++
		}
	}
	return n
}

// IsEmpty reports whether nothing was compared, though no error kept it from that: the chosen streams were never read, or are only audited.
func (v *Verification) IsEmpty() bool {
	return v.Exit() == problem.ExitOK && v.compared() == 0 && len(v.Lakes) == 0
}

// verifyState is what verifications store between runs: ids of differences, without any key or value of a record. It is a file beside the
// database, so that neither the lock nor a run is needed.
type verifyState struct {
	Format   int                  `json:"format"`
	Found    []string             `json:"found"`    // ids of the differences of the last verification
	Accepted map[string]time.Time `json:"accepted"` // ids that a person has accepted, and when
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
	if errors.Is(err, fs.ErrPermission) {
		return n, &problem.Problem{Class: "config", What: "read the accepted differences in " + verifyStatePath(r), Err: err, Next: "give the file to the owner of the warehouse with chown; the accepted differences stay"}
	}
	if err != nil {
		return n, &problem.Problem{Class: "config", What: "read the accepted differences in " + verifyStatePath(r), Err: err, Next: "remove the file, then accept the differences again"}
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

// recallAccepted marks the differences that were accepted before, and stores the ids of those found now.
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
	if r.CheckOwner() != nil {
		return nil // a file of this user would keep its owner from the list
	}
	return n.writeState(verifyStatePath(r))
}

// Accept accepts differences that the last verification found: later verifications still report them, and do not fail for them. Only the
// owner of the directory may accept.
func Accept(r *runner.Runner, ids []string) error {
	if err := r.CheckOwner(); err != nil {
		return err
	}
	n, err := readVerifyState(r)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(n.Found, id) {
			return &problem.Problem{Class: "usage", What: fmt.Sprintf("no difference of the last verification has the id %q", id),
				Next: "list the differences with their ids: aqueduck verify"}
		}
		n.Accepted[id] = r.Now().UTC()
	}
	return n.writeState(verifyStatePath(r))
}
