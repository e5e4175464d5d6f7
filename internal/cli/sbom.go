package cli

import (
	"encoding/base64"
	"encoding/hex"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"aqueduck/load/facts"
)

// bill is what the program is made of, in the form of CycloneDX 1.6. It says what the linker has noted in the program itself,
// and nothing that it has not: licences are not among it.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// modules are those that the program is linked from, what replaces one in its place, by their paths.
func modules() (all []*debug.Module) {
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

// billOf lists Go's own library, the modules, and the database library that came prebuilt in one of them.
func billOf(modules []*debug.Module, library facts.Library) bill {
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Ref: "aqueduck", Name: "aqueduck", Version: release()}
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
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		b.Components = append(b.Components, c)
	}
	return b
}
