package main

// mutant is a realistic bug: new replaces old, which the file contains once.
type mutant struct {
	bug      string // description of the bug
	file     string
	old, new string
	killer   string // the test that notices it, as package.Test or package.Test/case
}

// packages are the directories of tests, by their names in docs/internals/mutants.md.
var packages = map[string]string{
	"extract": "extract", "api": "extract/api", "export": "extract/export", "access": "load/access", "transform": "transform", "maskrule": "transform/maskrule", "scalar": "transform/internal/scalar", "facts": "load/facts", "load": "load", "publish": "load/publish",
	"pipeline": "internal/pipeline", "schedule": "internal/schedule", "duck": "load/internal/duck", "sync": "internal/sync", "remote": "internal/remote",
}
