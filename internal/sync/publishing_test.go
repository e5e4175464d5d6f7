package sync

import (
	"errors"
	"strings"
	"testing"

	"aqueduck/load/failure"
	"aqueduck/load/publish"
)

// TestAModelOfOursThatLacksMemoryNamesTheSetting: who did not write its file cannot correct it.
func TestAModelOfOursThatLacksMemoryNamesTheSetting(t *testing.T) {
	t.Parallel()
	for want, model := range map[string]publish.FailedModel{
		"set warehouse: {memory: 400MB}": {Err: failure.ErrQueryMemory},
		"correct the file":               {Err: failure.ErrQueryMemory, Own: true},
		"correct the file, then":         {Err: errors.New("Binder Error")},
	} {
		if got := modelStep(model); !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %s", model, got)
		}
	}
}
