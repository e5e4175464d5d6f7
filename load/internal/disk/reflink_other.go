//go:build !linux

package disk

import "os"

// reflink is not supported here: Clone copies the bytes.
func reflink(_, _ *os.File) bool { return false }
