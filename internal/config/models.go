package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
	"aqueduck/schemas"
	"aqueduck/transform/compat"
	"aqueduck/transform/models"
)

// takeModels adds the user's models to the built-in ones. A name must be unique.
func (l *configLoader) takeModels(v *grammar.Value) {
	l.readMatchingFiles(v, "model", "create one (docs/models.md#your-own-models)", func(name string, text []byte) {
		own, err := models.Parse(name, string(text))
		if err != nil {
			v.Report(err)
		}
		private := l.report.IsPrivate(name)
		for _, m := range own {
			all := l.config.Models
			if i := slices.IndexFunc(all, func(other schemas.Relation) bool { return other.Name == m.Name }); i >= 0 {
				what := fmt.Sprintf("model %q", m.Name)
				if private {
					what = "one of its models"
				}
				where := "in " + all[i].File + " already"
				if models.IsBuiltin(m.Name) {
					where = "built in"
				}
				v.Wrong("give it another name", "%s: %s is %s", name, what, where)
				continue
			}
			m.Private = private
			l.config.Models = append(all, m)
		}
	})
	l.checkModelSources(v)
}

// checkModelSources reports each name after {schema}., {raw}. and {models}. that no stream and no model has, and warns of names that the next version
// no longer has. With a broken stream file the tables are not known.
func (l *configLoader) checkModelSources(v *grammar.Value) {
	if len(l.knownStreams) != len(l.catalogue.Names()) {
		return
	}
	tables, names := l.catalogue.RelationNames(), []string{}
	for _, m := range l.config.Models {
		names = append(names, m.Name)
	}
	for _, m := range l.config.Models {
		if models.IsBuiltin(m.Name) {
			continue
		}
		// Other words in braces may be part of a text: only a word that resembles a placeholder is a mistake.
		for _, word := range m.Placeholders() {
			if meant := grammar.Nearest(word.Name, models.Placeholders); meant != "" && meant != word.Name {
				v.Report(grammar.Mistakes{word.Mistake(fmt.Sprintf("there is no placeholder {%s}", word.Name), fmt.Sprintf("did you mean {%s}?", meant))})
			}
		}
		for _, source := range m.Sources() {
			l.checkModelSource(v, source, tables, names)
		}
	}
}

// checkModelSource reports one of these names. tables are those of streams, names those of models.
func (l *configLoader) checkModelSource(v *grammar.Value, source schemas.RelationSource, tables, names []string) {
	if l.warnOfDeprecated(v, source) {
		return
	}
	raw := l.catalogue.RawNames()
	known, what := tables, "table"
	switch {
	case source.Model:
		known, what = names, "model"
	case source.Raw:
		known, what = raw, "table of the raw schema"
	}
	if slices.Contains(known, source.Name) || !source.Model && !source.Raw && l.isDataset(source.Name) {
		return
	}
	hint := grammar.DidYouMean(source.Name, known)
	switch {
	case slices.Contains(raw, source.Name):
		hint = "write {raw}." + source.Name
	case !source.Model && slices.Contains(names, source.Name):
		hint = "write {models}." + source.Name
	case (source.Model || source.Raw) && slices.Contains(tables, source.Name):
		hint = "write {schema}." + source.Name
	}
	v.Report(grammar.Mistakes{source.Mistake(fmt.Sprintf("there is no %s %q", what, source.Name), hint)})
}

// warnOfDeprecated warns of a name of a table that is in the raw schema now, and reports whether it is one.
func (l *configLoader) warnOfDeprecated(v *grammar.Value, source schemas.RelationSource) bool {
	written, deprecated := l.catalogue.InsteadOf(source.Name)
	if !deprecated || source.Model || source.Raw {
		return false
	}
	old := source.Mistake(fmt.Sprintf("%q is deprecated: the next version has no table of this name there", source.Name), "write "+written)
	old.Warning, old.Deprecated = true, true
	v.Report(grammar.Mistakes{old})
	return true
}

// isDataset reports whether a table is that of a dataset of exports. Only the source knows all of them.
func (l *configLoader) isDataset(table string) bool {
	return slices.ContainsFunc(l.catalogue.Streams(), func(s *schemas.Stream) bool { return s.IsExportFamily() && strings.HasPrefix(table, s.Name+"_") })
}

// materializeModels makes the named models tables, and all other built-in models views. Models that read no stored table stay what they are.
func (l *configLoader) materializeModels(v *grammar.Value) {
	if !v.IsSet() {
		return
	}
	all, names := l.config.Models, v.Texts()
	for i, m := range all {
		switch {
		case slices.Contains(names, m.Name):
			all[i].Kind = "table"
		case models.IsBuiltin(m.Name) && (strings.Contains(m.SQL, "{schema}.") || strings.Contains(m.SQL, "{models}.")):
			all[i].Kind = "view"
		}
	}
	for _, item := range v.Items() {
		if !slices.ContainsFunc(all, func(m schemas.Relation) bool { return m.Name == item.Text() }) {
			var known []string
			for _, m := range all {
				known = append(known, m.Name)
			}
			item.Wrong(cmp.Or(grammar.DidYouMean(item.Text(), known), "docs/models.md has all models"), "no model is called %q", item.Text())
		}
	}
}

// takeCompat takes the program whose tables are shown as views. A stream that no pipeline reads is a warning: its views are missing.
func (l *configLoader) takeCompat(v *grammar.Value) {
	l.config.Compat = v.Text()
	if l.config.Compat == "" {
		return
	}
	for _, stream := range compat.Streams() {
		if !slices.ContainsFunc(l.config.Pipelines, func(p *Pipeline) bool { return slices.Contains(p.Streams, stream) }) {
			v.Warn("add it to the streams of a pipeline", "no pipeline reads %s, so the views of it are missing", stream)
		}
	}
}

// ModelSchema is the schema of the models over a workspace's tables.
func ModelSchema(workspace string) string {
	if workspace == "main" {
		return "models"
	}
	return workspace + "_models"
}
