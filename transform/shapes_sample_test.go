package transform

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// publicShapeSet are what public sources say that answers of this API look like: facts alone, no texts and no values.
type publicShapeSet struct {
	Resources map[string]struct{ Paths map[string]pathShape }
}

// pathShape is what a path of a resource holds.
type pathShape struct {
	Types    []string
	Enum     []string
	Format   string
	Resource string // told under that resource
}

func publicShapes(t testing.TB) publicShapeSet {
	t.Helper()
	text, err := os.ReadFile("testdata/public-shapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var s publicShapeSet
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// freeKey stands for a key of somebody's own, such as the name of a custom attribute.
const freeKey = "shape_key"

// resourcePaths are those of a resource, with those of the resources that are told elsewhere in their places.
func (s publicShapeSet) resourcePaths(resource string) map[string]pathShape {
	all := map[string]pathShape{}
	for path, one := range s.Resources[resource].Paths {
		all[path] = one
		if one.Resource == "" {
			continue
		}
		for below, inner := range s.resourcePaths(one.Resource) {
			all[path+"."+below] = inner
		}
	}
	return all
}

// shapeSampler makes values that have a shape.
type shapeSampler struct {
	paths map[string]pathShape
	names []string // of paths, sorted
}

func (s publicShapeSet) newSampler(resource string) *shapeSampler {
	paths := s.resourcePaths(resource)
	return &shapeSampler{paths, slices.Sorted(maps.Keys(paths))}
}

// sampleValue is one of a JSON type at a path, with all that lies below it.
func (s *shapeSampler) sampleValue(path, kind string) any {
	switch kind {
	case "null":
		return nil
	case "boolean":
		return !strings.HasSuffix(path, ".has_more") // a list that says so is read on
	case "integer":
		if strings.HasSuffix(path, ".total_count") {
			return json.Number("1") // lists of samples have one item
		}
		if s.isTime(path) {
			return json.Number("1700000000")
		}
		return json.Number("4711")
	case "number":
		return json.Number("7.25")
	case "array":
		below := path + "[]"
		if _, told := s.paths[below]; !told {
			if s.hasBelow(below) {
				return []any{s.sampleObject(below)}
			}
			return []any{} // no source says what is in it
		}
		return []any{s.sampleValue(below, s.likelyType(below))}
	case "object":
		return s.sampleObject(path)
	}
	return s.sampleText(path)
}

// likelyType is the type of a path that a value of it most likely has.
func (s *shapeSampler) likelyType(path string) string {
	types := s.paths[path].Types
	for _, kind := range []string{"object", "array"} {
		if slices.Contains(types, kind) {
			return kind
		}
	}
	at := slices.IndexFunc(types, func(kind string) bool { return kind != "null" })
	if at < 0 {
		return "string"
	}
	return types[at]
}

// hasBelow reports whether there are paths below one.
func (s *shapeSampler) hasBelow(path string) bool {
	return slices.ContainsFunc(s.names, func(name string) bool { return strings.HasPrefix(name, path+".") })
}

func (s *shapeSampler) sampleObject(path string) any {
	object := map[string]any{}
	before := path + "."
	if path == "" {
		before = ""
	}
	for _, name := range s.names {
		below, inside := strings.CutPrefix(name, before)
		if !inside || strings.ContainsAny(below, ".[") {
			continue
		}
		if below == "{}" {
			below = freeKey
		}
		object[below] = s.sampleValue(name, s.likelyType(name))
	}
	if len(object) == 0 {
		object["sample"] = "text"
	}
	return object
}

func (s *shapeSampler) isTime(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return strings.Contains(s.paths[path].Format, "unix") || strings.HasSuffix(name, "_at") || name == "timestamp" || name == "waiting_since" || name == "snoozed_until"
}

func (s *shapeSampler) sampleText(path string) string {
	one, name := s.paths[path], path[strings.LastIndexByte(path, '.')+1:]
	switch {
	case strings.Contains(one.Format, "ISO"), s.isTime(path):
		return "2023-11-14T22:13:20Z"
	case len(one.Enum) > 0:
		return one.Enum[0]
	case strings.HasSuffix(name, "url"), one.Format == "uri":
		return "https://x.example/content?content=a&id=7"
	case name == "id", strings.HasSuffix(name, "_id"):
		return "4711"
	}
	return `a text & <more> "quoted"`
}
