package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck"
	"aqueduck/internal/cli/sbom"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/mirror"
	"aqueduck/internal/worker"
	"aqueduck/load/facts"
)

func newVersion(env *Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, Go and DuckDB",
		Long: `Print the version of the program with its commit and licence, the versions of Go and DuckDB, and whether it was built with the
Iceberg mirror and with the worker. With --json, it also lists the components: the linked DuckDB library with the checksum of its
module, and every module as a CycloneDX document (sbom).`,
		Example:     "  aqueduck version\n  aqueduck version --json",
		Args:        usage.NoArguments,
		Annotations: map[string]string{forms: "json"},
		RunE: func(c *cobra.Command, _ []string) error {
			library, err := facts.DuckDB(c.Context())
			if err != nil {
				return err
			}
			if env.output != "json" && !asJSON {
				_, err := fmt.Fprintf(env.Stdout, "aqueduck %s, commit %s, %s, DuckDB %s, licence %s, %s mirror%s, %s worker\n",
					aqueduck.Version(), cmp.Or(buildCommit(), "unknown"), runtime.Version(), library.Version, aqueduck.License, withOrWithout(hasMirror()), onOtherStores(), withOrWithout(worker.IsBuilt()))
				return err
			}
			made := sbom.LinkedModules()
			v := versionInfo{Version: aqueduck.Version(), Commit: buildCommit(), License: aqueduck.License, Go: runtime.Version(), Mirror: hasMirror(), OtherStores: mirror.HasOtherStores(), Worker: worker.IsBuilt()}
			v.SBOM = sbom.New(buildVersion(), aqueduck.License, made, library)
			v.DuckDB = duckdbVersion{Version: library.Version, Source: library.Source}
			// The library comes prebuilt, in one module for each system. Only that module's checksum identifies it.
			if i := slices.IndexFunc(made, func(m *debug.Module) bool { return strings.Contains(m.Path, "duckdb-go-bindings/lib/") }); i >= 0 {
				v.DuckDB.Module, v.DuckDB.Sum = made[i].Path+" "+made[i].Version, made[i].Sum
			}
			return env.printJSON(v)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return c
}

func hasMirror() bool { return mirror.Missing("") == nil }

// onOtherStores is said of a mirror that knows more stores than those with the S3 interface.
func onOtherStores() string {
	if mirror.HasOtherStores() {
		return " on other stores"
	}
	return ""
}

func withOrWithout(has bool) string {
	if has {
		return "with"
	}
	return "without"
}

type versionInfo struct {
	Version     string        `json:"version"`
	Commit      string        `json:"commit,omitempty"` // unknown outside of a repository
	License     string        `json:"license"`          // an SPDX identifier
	Go          string        `json:"go"`
	Mirror      bool          `json:"mirror"`       // built with the Iceberg mirror
	OtherStores bool          `json:"other_stores"` // with the mirror to stores other than S3
	Worker      bool          `json:"worker"`       // built with the worker for Temporal
	DuckDB      duckdbVersion `json:"duckdb"`
	SBOM        sbom.Document `json:"sbom"`
}

type duckdbVersion struct {
	Version string `json:"version"`
	Source  string `json:"source"`           // commit of its source
	Module  string `json:"module,omitempty"` // from which it is linked
	Sum     string `json:"sum,omitempty"`    // of that module, as in go.sum
}
