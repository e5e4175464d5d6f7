package dictionary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	{personName, []string{"author_name", "user_name", "contact_name"}},
	{"the customer's own id of a person", []string{"external_id"}},
	{"ticket attribute", []string{"ticket_attributes", "updated_attribute_data"}},
	{"free text", []string{"body", "text", "subject", "title", "description", "remark"}},
}

// MaskGap is a kind of personal value that the configuration masks in some columns and not in others.
type MaskGap struct {
	Kind   string
	Masked []string // stream.column, as the configuration masks them
	Open   []string // table.column, where the value is stored as it is
	Models []string // the models that read such a column
}

// String is the gap as a warning.
func (g MaskGap) String() string {
	is := "is"
	if len(g.Masked) > 1 {
		is = "are"
	}
	text := fmt.Sprintf("%s %s masked, but the same kind of value (%s) is stored as it is in %s", strings.Join(g.Masked, ", "), is, g.Kind, strings.Join(g.Open, ", "))
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
