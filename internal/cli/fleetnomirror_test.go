//go:build worker && !mirror

package cli

// mirrorOfFleet is empty: this program has no mirror.
func mirrorOfFleet(string) string { return "" }

// compareMirror compares nothing.
func (f *workerFleet) compareMirror(string) {}
