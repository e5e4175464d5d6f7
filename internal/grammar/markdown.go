package grammar

import (
	"fmt"
	"strings"
)

// Markdown renders the keys of a spec as a table: key, value, default, meaning.
func (s *Spec) Markdown() string {
	var b strings.Builder
	b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	s.writeRows(&b, "")
	return b.String()
}

func (s *Spec) writeRows(b *strings.Builder, path string) {
	for i := range s.Keys {
		k := &s.Keys[i]
		k.writeRow(b, joinPath(path, k.Name))
		k.writeRowsBelow(b, joinPath(path, k.Name))
	}
}

// writeRowsBelow writes the rows of the keys inside a value.
func (s *Spec) writeRowsBelow(b *strings.Builder, path string) {
	if s.Later || s.See != "" {
		return
	}
	switch s.Kind {
	case Map:
		s.writeRows(b, path)
	case Free:
		path = joinPath(path, s.Item.Name)
		if s.Item.Kind != Map {
			s.Item.writeRow(b, path)
		}
		s.Item.writeRowsBelow(b, path)
	case List, OneOrAll:
		s.Item.writeRowsBelow(b, path+"[]")
	}
}

func (s *Spec) writeRow(b *strings.Builder, path string) {
	if s.Later {
		fmt.Fprintf(b, "| `%s` | | | %s *Not built yet: refused.* |\n", path, tableCell(s.Doc))
		return
	}
	value := s.Default
	if value != "" {
		value = "`" + value + "`"
	}
	if s.Required {
		value = "required"
	} else if s.Needed != "" {
		value = "required " + s.Needed
	}
	see := ""
	if s.See != "" {
		see = " Keys as in `" + s.See + "`."
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, tableCell(s.formText()), value, tableCell(s.Doc+s.choicesText()+see))
}

// formText names the form of a value.
func (s *Spec) formText() string {
	names := map[Kind]string{
		Map: "keys", Free: "keys", Text: "text", Int: "number", Bool: "true, false", Duration: "duration", Date: "date",
	}
	switch s.Kind {
	case List:
		return "list of " + s.Item.formText()
	case OneOrAll:
		return s.Item.formText() + ", or a list"
	case Enum:
		var built []string
		for _, c := range s.Values {
			if !c.Later {
				built = append(built, "`"+c.Name+"`")
			}
		}
		return strings.Join(built, ", ")
	}
	if s.Short != "" {
		return names[s.Kind] + "; a value alone means `" + s.Short + ": VALUE`"
	}
	return names[s.Kind]
}

// choicesText explains the values of an Enum; those not built yet come last.
func (s *Spec) choicesText() string {
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

// tableCell makes a text fit into one table cell.
func tableCell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
