// Package pipeline has the tests of whole pipelines: runs against the emulated workspace, held against what its oracle knows. It has no
// code of its own.
package pipeline
