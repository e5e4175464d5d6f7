package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"aqueduck/load"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Print the version of the program, of Go and of DuckDB",
		Example:     "  aqueduck version\n  aqueduck version -o json",
		Args:        noArguments,
		Annotations: map[string]string{forms: "json"},
		RunE: func(c *cobra.Command, _ []string) error {
			duckdb, err := load.Version(c.Context())
			if err != nil {
				return err
			}
			v := versions{Version: release(), Go: runtime.Version(), DuckDB: duckdb}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, m := range info.Deps {
					v.Modules = append(v.Modules, m.Path+" "+m.Version)
				}
				slices.Sort(v.Modules)
			}
			if a.output != "json" {
				_, err := fmt.Fprintf(a.stdout, "aqueduck %s, %s, DuckDB %s\n", v.Version, v.Go, v.DuckDB)
				return err
			}
			return a.encode(v)
		},
	}
}

type versions struct {
	Version string   `json:"version"`
	Go      string   `json:"go"`
	DuckDB  string   `json:"duckdb"`
	Modules []string `json:"modules"`
}

// release is the version that the program was built as.
func release() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}
