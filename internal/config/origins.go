package config

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
)

// Origins returns the origin of each value of a configuration, also of one with mistakes. A file that is no YAML is an error.
func Origins(names []string) ([]Origin, error) {
	files, err := readFiles(names, referenceExpander{lookup: func(string) (string, bool) { return "", false }, lenient: true})
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	var report grammar.Report
	root := report.ReadAll(files, ConfigSpec())
	if !root.IsGiven() {
		return nil, report.Err()
	}
	return collectOrigins(root), nil
}

func collectOrigins(root *grammar.Value) (all []Origin) {
	root.Walk(func(path, file string, line int, written []string) {
		o := Origin{Setting: path, From: "default", File: file}
		if line > 0 {
			o.From = fmt.Sprintf("%s:%d", file, line)
		}
		for _, text := range written {
			parts, err := splitReferences(text)
			if err != nil {
				continue // a mistake, which the check reports
			}
			for _, p := range parts {
				o.addReference(p)
			}
		}
		all = append(all, o)
	})
	return all
}

// addReference adds a variable or file to the origin of a value.
func (o *Origin) addReference(p textPiece) {
	if !p.reference {
		return
	}
	if name, ok := strings.CutPrefix(p.text, "file:"); ok {
		o.From += ", file " + name
		return
	}
	o.Variables = append(o.Variables, Variable{p.text, p.hasDefault})
	o.From += ", variable " + p.text
	if p.hasDefault {
		o.From += " or its default"
	}
}

// SetProvenance notes that a value comes from another place than the file.
func (c *Config) SetProvenance(setting, from string) {
	for i := range c.origins {
		if c.origins[i].Setting == setting {
			c.origins[i].From = from
		}
	}
}

// Provenance says where a value comes from.
func (c *Config) Provenance(setting string) string {
	i := slices.IndexFunc(c.origins, func(o Origin) bool { return o.Setting == setting })
	if i < 0 {
		return ""
	}
	return c.origins[i].From
}

// OriginsOf returns the origins of the values that a run of a pipeline uses.
func (c *Config) OriginsOf(p *Pipeline) (all []Origin) {
	for _, o := range c.origins {
		part, rest, _ := strings.Cut(o.Setting, ".")
		name, _, _ := strings.Cut(rest, ".")
		switch {
		case part == "alerts":
		case part == "workspaces" && !slices.Contains(p.Workspaces(c), name):
		case part == "pipelines" && name != p.Name:
		default:
			all = append(all, o)
		}
	}
	return all
}
