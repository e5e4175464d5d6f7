// Package preview tries a stream on one page, proposes a file for a new one, and asks which streams a token can read.
package preview
