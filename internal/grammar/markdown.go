package grammar

import (
	"fmt"
	"strings"
)

// Markdown renders the keys of a spec as a table: key, value, default, meaning.
func (s *Spec) Markdown() string {
	var b strings.Builder
	b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	s.rows(&b, "")
	return b.String()
}

func (s *Spec) rows(b *strings.Builder, path string) {
	for i := range s.Keys {
		k := &s.Keys[i]
		k.row(b, join(path, k.Name))
		k.below(b, join(path, k.Name))
	}
}

// below writes the rows of what a key holds.
func (s *Spec) below(b *strings.Builder, path string) {
	if s.Later || s.See != "" {
		return
	}
	switch s.Kind {
	case Map:
		s.rows(b, path)
	case Free:
		path = join(path, s.Item.Name)
		if s.Item.Kind != Map {
			s.Item.row(b, path)
		}
		s.Item.below(b, path)
	case List, OneOrAll:
		s.Item.below(b, path+"[]")
	}
}

func (s *Spec) row(b *strings.Builder, path string) {
	if s.Later {
		fmt.Fprintf(b, "| `%s` | | | %s *Not built yet: refused.* |\n", path, cell(s.Doc))
		return
	}
	value := s.Default
	if value != "" {
		value = "`" + value + "`"
	}
	if s.Required {
		value = "required"
	}
	see := ""
	if s.See != "" {
		see = " Keys as in `" + s.See + "`."
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, cell(s.form()), value, cell(s.Doc+s.choices()+see))
}

// form names what may be written.
func (s *Spec) form() string {
	names := map[Kind]string{
		Map: "keys", Free: "keys", Text: "text", Int: "number", Bool: "true, false", Duration: "duration", Date: "date",
	}
	switch s.Kind {
	case List:
		return "list of " + s.Item.form()
	case OneOrAll:
		return s.Item.form() + ", or a list"
	case Enum:
		var built []string
		for _, c := range s.Values {
			if !c.Later {
				built = append(built, "`"+c.Name+"`")
			}
		}
		return strings.Join(built, ", ")
	}
	return names[s.Kind]
}

// choices explains the values of an Enum, those that are not built yet last.
func (s *Spec) choices() string {
	var b strings.Builder
	var later []string
	for _, c := range s.Values {
		if c.Later {
			later = append(later, "`"+c.Name+"`")
			continue
		}
		if c.Doc != "" {
			fmt.Fprintf(&b, " `%s`: %s", c.Name, c.Doc)
		}
	}
	if len(later) > 0 {
		fmt.Fprintf(&b, " *Not built yet: %s.*", strings.Join(later, ", "))
	}
	return b.String()
}

// cell keeps text inside its cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
