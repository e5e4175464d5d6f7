//go:build worker

package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"aqueduck/internal/config"
)

// TestTheWorkflowTriesAgainWhatMayPass: an error that may be over later is tried again after its pause, in the time of the test's server. A refused token
// is not. The payloads have names alone.
func TestTheWorkflowTriesAgainWhatMayPass(t *testing.T) {
	t.Parallel()
	c := loadText(t, several)
	passing, refused := Outcome{Run: "r", Exit: 1, Class: "transient", Passing: true}, Outcome{Run: "r", Exit: 4, Class: "auth"}
	for name, test := range map[string]struct {
		outcomes []Outcome
		want     string // the class of the error
		took     time.Duration
	}{
		"well at once":      {[]Outcome{{}}, "", 0},
		"well at the third": {[]Outcome{passing, passing, {}}, "", time.Hour},
		"never well":        {[]Outcome{passing, passing, passing, passing}, "transient", 3 * time.Hour},
		"refused":           {[]Outcome{refused}, "auth", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			suite.SetLogger(quiet{})
			env := suite.NewTestWorkflowEnvironment()
			var begins []time.Time
			s := Setup{Log: slog.New(slog.DiscardHandler), Config: func() (*config.Config, error) { return c, nil },
				Run: func(_ context.Context, workspace, pipeline string, beat func()) Outcome {
					if workspace != "eu" || pipeline != "nightly" || len(begins) == len(test.outcomes) {
						t.Errorf("%s of %s is run after %d tries", pipeline, workspace, len(begins))
					}
					beat()
					begins = append(begins, env.Now())
					return test.outcomes[len(begins)-1]
				}}
			env.RegisterActivityWithOptions(s.syncWorkspace, activity.RegisterOptions{Name: activityName})
			env.ExecuteWorkflow(runWorkspace, task{Workspace: "eu", At: time.Date(2026, 11, 3, 2, 0, 0, 0, time.UTC)})
			var failed *temporal.ApplicationError
			if err := env.GetWorkflowError(); (err != nil) != (test.want != "") || err != nil && (!errors.As(err, &failed) || failed.Type() != test.want) {
				t.Errorf("it ended with %v", err)
			}
			if len(begins) != len(test.outcomes) {
				t.Fatalf("%d tries", len(begins))
			}
			if took := begins[len(begins)-1].Sub(begins[0]); took < test.took || took > test.took+time.Minute {
				t.Errorf("the tries took %s", took)
			}
		})
	}
	for workspace, want := range map[string]enums.ScheduleOverlapPolicy{"eu": enums.SCHEDULE_OVERLAP_POLICY_SKIP, "us": enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE} {
		places := ListPlaces(c)
		o := scheduleOf(places[slices.IndexFunc(places, func(p Place) bool { return p.Workspace == workspace })], "Europe/Berlin")
		payload, err := converter.GetDefaultDataConverter().ToPayload(o.Action.(*client.ScheduleWorkflowAction).Args[0])
		if err != nil || string(payload.Data) != `{"workspace":"`+workspace+`"}` || o.Overlap != want || o.ID != "aqueduck/"+workspace || o.Spec.TimeZoneName != "Europe/Berlin" {
			t.Errorf("%+v, %s, %v", o, payload, err)
		}
	}
}

// TestAWorkspaceThatIsNotThereIsNotTriedAgain, nor one whose configuration cannot be read.
func TestAWorkspaceThatIsNotThereIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func() (*config.Config, error){
		"no pipeline of this worker": func() (*config.Config, error) { return loadText(t, several), nil },
		"cannot be read":             func() (*config.Config, error) { return nil, errors.New("no") },
	} {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(quiet{})
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(Setup{Config: read}.syncWorkspace)
		_, err := env.ExecuteActivity(Setup{Config: read}.syncWorkspace, task{Workspace: "gone"})
		var failed *temporal.ApplicationError
		if !errors.As(err, &failed) || !failed.NonRetryable() || failed.Type() != "config" || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// quiet is a log that nobody reads.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
