// Package preview reads one page of a stream, proposes a stream file for a new list, and checks which streams a token can read.
package preview
