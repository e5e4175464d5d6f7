package preview

import (
	"errors"
	"strings"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/internal/problem"
)

func TestATrialThatCannotReachTheAPIHasANextStep(t *testing.T) {
	t.Parallel()
	err := explainNoRecords(&api.Error{Class: api.ClassTransient, Op: "preview tags", Method: "GET", Path: "/tags", Attempts: 5, Err: errors.New("connection refused")}, "compare the file")
	if p := problem.AsProblem(err); p.Class != "transient" || !strings.Contains(p.Next, "check that base_url is the address of the workspace's region") {
		t.Errorf("got %q, next %q", p, p.Next)
	}
}

func TestATrialThatFindsNoRecordsNamesTheFile(t *testing.T) {
	t.Parallel()
	err := explainNoRecords(&api.Error{Class: api.ClassNotFound, Op: "preview tags", Method: "GET", Path: "/tags", Status: 404, Err: errors.New("not found")}, "compare the file")
	if p := problem.AsProblem(err); p.Class != "data" || p.Next != "compare the file" {
		t.Errorf("got %q, next %q", p, p.Next)
	}
}
