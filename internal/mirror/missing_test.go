package mirror

import (
	"errors"
	"strings"
	"testing"

	"aqueduck/internal/problem"
)

// TestAProgramSaysWhichStoresItLacks: the next step names the build that has them.
func TestAProgramSaysWhichStoresItLacks(t *testing.T) {
	t.Parallel()
	for location, has := range map[string]bool{"": hasTables(), "s3://bucket/tables": hasTables(), "gs://bucket/tables": HasOtherStores(), "abfss://lake@account.dfs.core.windows.net/tables": HasOtherStores()} {
		p := new(problem.Problem)
		switch err := Missing(location); {
		case has && err != nil:
			t.Errorf("%s: %v", location, err)
		case !has && (!errors.As(err, &p) || p.Class != "config"):
			t.Errorf("%s: it is said to be there: %v", location, err)
		case !has && strings.Contains(p.Next, "build-stores") != (location != "" && !strings.HasPrefix(location, "s3:")):
			t.Errorf("%s: %s", location, p.Next)
		}
	}
}
