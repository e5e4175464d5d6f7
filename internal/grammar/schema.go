package grammar

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// jsonSchema is a part of a JSON Schema.
type jsonSchema struct {
	Schema        string                 `json:"$schema,omitempty"`
	Title         string                 `json:"title,omitempty"`
	Description   string                 `json:"description,omitempty"`
	Type          []string               `json:"type,omitempty"`
	Enum          []any                  `json:"enum,omitempty"`
	AnyOf         []*jsonSchema          `json:"anyOf,omitempty"`
	Default       any                    `json:"default,omitempty"`
	Pattern       string                 `json:"pattern,omitempty"`
	Minimum       *int64                 `json:"minimum,omitempty"`
	Maximum       *int64                 `json:"maximum,omitempty"`
	Items         *jsonSchema            `json:"items,omitempty"`
	MinItems      int                    `json:"minItems,omitempty"`
	Properties    map[string]*jsonSchema `json:"properties,omitempty"`
	Required      []string               `json:"required,omitempty"`
	MinProperties int                    `json:"minProperties,omitempty"`
	PropertyNames *jsonSchema            `json:"propertyNames,omitempty"`
	Additional    any                    `json:"additionalProperties,omitempty"` // false, or the schema of all other keys
}

// JSONSchema describes the form of a file as JSON Schema draft-07, which the YAML language servers of editors read. With
// variables, a ${VAR} may replace the text of any scalar.
func (s *Spec) JSONSchema(title string, variables bool) ([]byte, error) {
	root := s.valueSchema(variables)
	root.Schema, root.Title = "http://json-schema.org/draft-07/schema#", title
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(root)
	return b.Bytes(), err
}

func (s *Spec) valueSchema(variables bool) *jsonSchema {
	j := &jsonSchema{}
	switch s.Kind {
	case Map:
		j.Type, j.Additional, j.Properties = []string{"object"}, false, map[string]*jsonSchema{}
		for i := range s.Keys {
			if k := &s.Keys[i]; !k.Later {
				j.Properties[k.Name] = k.valueSchema(variables)
			}
			if s.Keys[i].Required {
				j.Required = append(j.Required, s.Keys[i].Name)
			}
		}
	case Free:
		j.Type, j.Additional = []string{"object"}, s.Item.valueSchema(variables)
		if s.Some {
			j.MinProperties = 1
		}
		if s.Form != nil {
			j.PropertyNames = &jsonSchema{Pattern: s.Form.pattern.String()}
		}
	case List:
		j = s.listSchema(variables)
	case OneOrAll:
		j.AnyOf = []*jsonSchema{s.Item.valueSchema(variables), s.listSchema(variables)}
		if !s.Required {
			j.AnyOf = append(j.AnyOf, &jsonSchema{Type: []string{"null"}})
		}
	default:
		j = s.scalarSchema(variables && !s.Verbatim)
	}
	if !s.isScalar() && s.Kind != OneOrAll && !s.Required && len(j.Required) == 0 {
		j.Type = append(j.Type, "null") // a key without a value counts as absent
	}
	if s.Short != "" {
		j = &jsonSchema{AnyOf: []*jsonSchema{j, j.Properties[s.Short]}}
	}
	j.Description = strings.Join(strings.Fields(s.Doc+s.choicesText()), " ")
	return j
}

func (s *Spec) listSchema(variables bool) *jsonSchema {
	j := &jsonSchema{Type: []string{"array"}, Items: s.Item.valueSchema(variables)}
	if s.Some {
		j.MinItems = 1
	}
	return j
}

// scalarSchema accepts a scalar both as text and as the type that the editor infers: the file is checked by its text.
func (s *Spec) scalarSchema(variables bool) *jsonSchema {
	j := &jsonSchema{Type: []string{"string"}, Default: s.defaultValue()}
	or := func(pattern string) string {
		if variables {
			return pattern + `|\$\{`
		}
		return pattern
	}
	switch s.Kind {
	case Text:
		// A JSON Schema cannot apply a pattern to a number: numbers are accepted if the form accepts some.
		if s.Form.Check("5") == nil {
			j.Type = append(j.Type, "number")
		}
		if s.Form.Check("true") == nil {
			j.Type = append(j.Type, "boolean")
		}
		if s.Form != nil {
			j.Pattern = or(s.Form.pattern.String())
		}
	case Int:
		j.Type, j.Pattern = []string{"integer", "string"}, or(`^[-+]?[0-9]+$`)
		if s.Min != 0 || s.Max != 0 {
			j.Minimum, j.Maximum = &s.Min, &s.Max
		}
	case Bool:
		j.Type, j.Pattern = []string{"boolean", "string"}, or(`^(true|false)$`)
	case Duration:
		j.Pattern = or(`^([0-9]{1,9}[smhd])+$`)
	case Date:
		j.Pattern = or(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)
	case Enum:
		j.Type, j.AnyOf = nil, s.enumSchemas()
		if variables {
			j.AnyOf = append(j.AnyOf, &jsonSchema{Type: []string{"string"}, Pattern: `\$\{`})
		}
	}
	return j
}

// enumSchemas are the values of an Enum that are built, as text, and as numbers where an editor infers numbers.
func (s *Spec) enumSchemas() []*jsonSchema {
	var names, numbers []any
	for _, c := range s.Values {
		if c.Later {
			continue
		}
		names = append(names, c.Name)
		if n, err := strconv.ParseInt(c.Name, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
		// YAML 1.1 reads a number with a leading zero as octal, YAML 1.2 as decimal.
		if n, err := strconv.ParseInt(c.Name, 8, 64); err == nil && c.Name[0] == '0' {
			numbers = append(numbers, n)
		}
	}
	all := []*jsonSchema{{Enum: names}}
	if numbers != nil {
		all = append(all, &jsonSchema{Enum: numbers})
	}
	return all
}

// defaultValue is the default as a JSON value; nil: none.
func (s *Spec) defaultValue() any {
	if n, err := strconv.ParseInt(s.Default, 10, 64); s.Kind == Int && err == nil {
		return n
	}
	if s.Kind == Bool && s.Default != "" {
		return s.Default == "true"
	}
	if s.Default == "" {
		return nil
	}
	return s.Default
}
