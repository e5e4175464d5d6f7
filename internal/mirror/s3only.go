//go:build mirror && !stores

package mirror

import (
	"context"
	"time"
)

// storeLibraries are those that this program was built with.
const storeLibraries = ""

// openOther fails: this program has no other stores.
func openOther(_ context.Context, location string, _ time.Duration) (store, string, error) {
	return nil, "", Missing(location)
}
