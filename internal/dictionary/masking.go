package dictionary

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/config"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// personName is the kind of the name of a person.
const personName = "name of a person"

// personalValues are the kinds of personal values that several columns hold. A column is of the first kind whose names it ends with.
var personalValues = []struct {
	kind  string
	names []string
}{
	{"e-mail address", []string{"email", "email_domain"}},
	{"phone number", []string{"phone"}},
	{personName, []string{"author_name", "user_name", "contact_name", "lead_name"}},
	{"the customer's own id of a person", []string{"external_id"}},
	{"ticket attribute", []string{"ticket_attributes", "updated_attribute_data"}},
	{"free text", []string{"body", "text", "subject", "title", "description", "remark", "comment"}},
}

// MaskGap is a kind of personal value that the configuration masks in some columns and not in others.
type MaskGap struct {
	Kind   string
	Masked []string // stream.column, as the configuration masks them
	Open   []string // table.column, where the value is stored as it is; a pattern of columns in a dataset, whose columns only the source knows
	Models []string // the models that read such a column
}

// String is the gap as a warning.
func (g MaskGap) String() string {
	text := fmt.Sprintf("hash or drop names %s, but the same kind of value (%s) is stored as it is in %s", strings.Join(g.Masked, ", "), g.Kind, strings.Join(g.Open, ", "))
	if len(g.Models) > 0 {
		text += "; models that read these: " + strings.Join(g.Models, ", ")
	}
	return text + "; next: mask these too, or write `personal: hash`, which masks every personal column"
}

// FindMaskGaps compares what hash and drop name with the other columns that hold the same personal value.
func FindMaskGaps(cfg *config.Config, catalogue *schemas.Catalogue) (gaps []MaskGap) {
	b := &dictionaryBuilder{catalogue: catalogue, models: cfg.Models}
	byKind := map[string]*MaskGap{}
	gapOf := func(kind string) *MaskGap {
		if byKind[kind] == nil {
			byKind[kind] = &MaskGap{Kind: kind}
		}
		return byKind[kind]
	}
	for _, s := range catalogue.Streams() {
		if s.IsExportFamily() {
			for _, place := range datasetPlaces(cfg, s) {
				g := gapOf(place.kind)
				if place.masked != "" {
					g.Masked = addName(g.Masked, place.dataset+"."+place.masked)
					continue
				}
				g.Open = addName(g.Open, place.dataset+"."+place.pattern)
				for _, model := range b.modelsReading(place.dataset, place.example) {
					g.Models = addName(g.Models, model)
				}
			}
			continue
		}
		masked := maskedPlaces(cfg, s)
		for _, t := range transform.Tables(s) {
			if t.Copies {
				continue // the other table of the two stands for both
			}
			emails := slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == "email" })
			for _, c := range t.Columns {
				kind := personalKind(c, emails)
				if kind == "" {
					continue
				}
				g, name := gapOf(kind), publishedName(s, t)
				if masked[t.Name] || masked[t.Name+"."+c.Name] {
					g.Masked = addName(g.Masked, name+"."+c.Name)
					continue
				}
				g.Open = addName(g.Open, name+"."+c.Name)
				for _, model := range b.modelsReading(name, c.Name) {
					g.Models = addName(g.Models, model)
				}
			}
		}
	}
	for _, v := range personalValues {
		if g := byKind[v.kind]; g != nil && len(g.Masked) > 0 && len(g.Open) > 0 {
			gaps = append(gaps, *g)
		}
	}
	return gaps
}

// personalKind returns which kind of personal value a column holds; "" if none that others hold too. A column called name is a person's
// in a table that also has e-mail addresses.
func personalKind(c transform.Column, emails bool) string {
	if !c.PII {
		return ""
	}
	for _, v := range personalValues {
		for _, name := range v.names {
			if c.Name == name || strings.HasSuffix(c.Name, "_"+name) {
				return v.kind
			}
		}
	}
	if c.Name == "name" && emails {
		return personName
	}
	return ""
}

// NameColumns returns the columns, as table.column, with the words that a person is known by: names, telephone numbers and the customer's own ids. Names of
// teammates are among them. E-mail addresses are not: their form shows them.
func NameColumns(tables []transform.Table) (columns []string) {
	for _, t := range tables {
		emails := slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.Name == "email" })
		for _, c := range t.Columns {
			ends := c.Name[strings.LastIndexByte(c.Name, '_')+1:]
			if c.SQL == "VARCHAR" && (c.PII && (ends == "name" || ends == "phone" || strings.HasSuffix(c.Name, "external_id")) || c.Name == "name" && emails) {
				columns = append(columns, t.Name+"."+c.Name)
			}
		}
	}
	return columns
}

// datasetPlace is where a dataset of exports holds a kind of personal value.
type datasetPlace struct {
	kind, dataset    string
	pattern, example string // of its columns, by the family's file
	masked           string // the column of the pattern that the configuration masks; "": none
}

// datasetPlaces returns the personal columns of the datasets that pipelines read, by the patterns of the family's file.
func datasetPlaces(cfg *config.Config, family *schemas.Stream) (places []datasetPlace) {
	for _, dataset := range readDatasets(cfg, family) {
		first := len(places)
		sample := &extract.Export{}
		for _, flags := range family.ColumnFlags {
			for _, pattern := range flags.Columns {
				if kind, example := kindOfPattern(pattern); flags.PII && kind != "" {
					places = append(places, datasetPlace{kind: kind, dataset: dataset, pattern: pattern, example: example})
					sample.Columns = append(sample.Columns, extract.ExportColumn{Name: example})
				}
			}
		}
		hash, drop := cfg.MaskedNames(DatasetStream(family, dataset, sample))
		for i, place := range places[first:] {
			for _, name := range slices.Concat(hash, drop) {
				if ok, err := path.Match(place.pattern, name); ok && err == nil {
					places[first+i].masked = name
				}
			}
		}
	}
	return places
}

// readDatasets returns the datasets of a family that pipelines read: names and patterns of names.
func readDatasets(cfg *config.Config, family *schemas.Stream) (all []string) {
	for _, p := range cfg.Pipelines {
		for _, pattern := range p.Datasets {
			if !config.MatchesFamily(pattern, family.Name) {
				continue
			}
			if !strings.HasPrefix(pattern, family.Name+"_") {
				pattern = family.Name + "_*"
			}
			all = addName(all, pattern)
		}
	}
	return all
}

// kindOfPattern returns the kind of personal value that columns with a pattern hold, and a column of that kind; "" for other patterns.
func kindOfPattern(pattern string) (kind, example string) {
	for _, v := range personalValues {
		for _, name := range v.names {
			for _, column := range []string{name, "record_" + name} { // some patterns, such as *_body, want a word before
				if ok, err := path.Match(pattern, column); ok && err == nil {
					return v.kind, column
				}
			}
		}
	}
	return "", ""
}

// maskedPlaces returns the columns of a stream's tables, as table.column, that are masked as a whole or in fields of their JSON, and the tables
// of which no row is stored.
func maskedPlaces(cfg *config.Config, s *schemas.Stream) map[string]bool {
	places := map[string]bool{}
	add := func(names []string, hash bool) {
		for _, name := range names {
			rules, err := maskrule.Find(s, name, hash)
			if err != nil {
				continue // a pattern's name need not exist in each of its streams
			}
			for _, r := range rules {
				switch {
				case r.KeyColumn != "": // other rows have their values
				case r.Rows:
					places[r.Table] = true
				default:
					places[r.Table+"."+r.Column] = true
				}
			}
		}
	}
	hash, drop := cfg.MaskedNames(s)
	add(hash, true)
	add(drop, false)
	return places
}

// publishedName is the name under which analysts query a table of a stream.
func publishedName(s *schemas.Stream, t transform.Table) string {
	if t.Parent == "" && s.PublishAs != "" {
		return s.Name
	}
	return cmp.Or(t.View, t.Name)
}

func addName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
