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

// sbomDocument is what the program is made of, in the form of CycloneDX 1.6. It says what the linker has noted in the program itself,
// and nothing that it has not: licences are not among it.
type sbomDocument struct {
	Format     string          `json:"bomFormat"`
	Spec       string          `json:"specVersion"`
	Version    int             `json:"version"`
	Metadata   sbomMetadata    `json:"metadata"`
	Components []sbomComponent `json:"components"`
}

type sbomMetadata struct {
	Component sbomComponent `json:"component"`
}

type sbomComponent struct {
	Type       string         `json:"type"`
	Ref        string         `json:"bom-ref"`
	Name       string         `json:"name"`
	Version    string         `json:"version"`
	PURL       string         `json:"purl,omitempty"`
	Hashes     []sbomHash     `json:"hashes,omitempty"`
	Properties []sbomProperty `json:"properties,omitempty"`
}

type sbomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type sbomProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// linkedModules are those that the program is linked from, what replaces one in its place, by their paths.
func linkedModules() (all []*debug.Module) {
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
func billOf(modules []*debug.Module, library facts.Library) sbomDocument {
	b := sbomDocument{Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Component = sbomComponent{Type: "application", Ref: "aqueduck", Name: "aqueduck", Version: buildVersion()}
	std := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go")
	b.Components = []sbomComponent{
		{Type: "library", Ref: std, Name: "std", Version: runtime.Version(), PURL: std},
		{Type: "library", Ref: "duckdb", Name: "duckdb", Version: library.Version,
			Properties: []sbomProperty{{"aqueduck:source", library.Source}, {"aqueduck:linked", "static, prebuilt"}}},
	}
	for _, m := range modules {
		purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
		c := sbomComponent{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
		// The sum of go.sum is a SHA-256 over the names and contents of the module's files.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Hashes = []sbomHash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		b.Components = append(b.Components, c)
	}
	return b
}
