//go:build !mirror

package mirror

// What this program was built with: nothing.
const (
	tableLibraries = ""
	storeLibraries = ""
)
