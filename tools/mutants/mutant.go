package main

// mutant is a bug that somebody could write: new in the place of old, which the file has once.
type mutant struct {
	bug      string // what is wrong with it, in words
	file     string
	old, new string
	killer   string // the test that notices, as package.Test or package.Test/case
}

// packages are the directories that tests are in, by the name that docs/internals/mutants.md calls them.
var packages = map[string]string{
	"extract": "extract", "api": "extract/api", "export": "extract/export", "transform": "transform", "scalar": "transform/internal/scalar", "load": "load", "publish": "load/publish",
	"pipeline": "internal/pipeline", "schedule": "internal/schedule",
}
