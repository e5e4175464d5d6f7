// Package sbom lists the components of the program: Go, the linked modules and the DuckDB library.
package sbom

import (
	"encoding/base64"
	"encoding/hex"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"aqueduck/load/facts"
)

// Document lists the components of the program, in the form of CycloneDX 1.6. It has what the linker noted in the program itself, and
// no licence but the program's own.
type Document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"` // of the document
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string        `json:"type"`
	Ref        string        `json:"bom-ref"`
	Name       string        `json:"name"`
	Version    string        `json:"version"`
	PURL       string        `json:"purl,omitempty"`
	Hashes     []contentHash `json:"hashes,omitempty"`
	Licenses   []licence     `json:"licenses,omitempty"`
	Properties []property    `json:"properties,omitempty"`
}

type contentHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License spdx `json:"license"`
}

type spdx struct {
	ID string `json:"id"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// LinkedModules gives the modules that the program is linked from, ordered by path. A replaced module is listed as its replacement.
func LinkedModules() (all []*debug.Module) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// New lists Go's own library, the modules, and the DuckDB library that comes prebuilt in one of them, for a version
// of the program under a licence, named by its SPDX identifier.
func New(version, license string, modules []*debug.Module, library facts.Library) Document {
	b := Document{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Ref: "aqueduck", Name: "aqueduck", Version: version, Licenses: []licence{{spdx{license}}}}
	std := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go")
	b.Components = []component{
		{Type: "library", Ref: std, Name: "std", Version: runtime.Version(), PURL: std},
		{Type: "library", Ref: "duckdb", Name: "duckdb", Version: library.Version,
			Properties: []property{{"aqueduck:source", library.Source}, {"aqueduck:linked", "static, prebuilt"}}},
	}
	for _, m := range modules {
		purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
		c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
		// The sum of go.sum is a SHA-256 over the names and contents of the module's files.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Hashes = []contentHash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		b.Components = append(b.Components, c)
	}
	return b
}
