package dictionary

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"aqueduck/internal/config"
	"aqueduck/internal/grammar"
	"aqueduck/internal/sandbox"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/models"
)

// Dictionary lists everything in a warehouse with all streams of a catalogue: what each column means, where it comes from and which models read
// it.
type Dictionary struct {
	Streams []DictionaryStream
	Models  []DictionaryTable
	Edges   []Reference
}

// DictionaryStream is a stream with its tables.
type DictionaryStream struct {
	StreamDescription
	Tables []DictionaryTable
}

// DictionaryTable is a table, a relation built from tables, or a model.
type DictionaryTable struct {
	Name, Kind, Doc string
	Gone            string // the table that also has the records that are gone; "": there is none
	Internal        bool   // it feeds published relations, and is not for analysts
	Key             []string
	Reads           []string // of a relation or model: the relations that its SQL reads
	Columns         []DictionaryColumn
}

// DictionaryColumn is a column of a table, relation or model.
type DictionaryColumn struct {
	Name, Type, Doc string
	PII             bool // personal data, or a contact's id
	References      string
	From            []string // provenance: fields of the API, as POST /contacts/search: location.country; or columns that the SQL reads
	Into            []string // lineage: the models that read it
}

// everywhere are the columns that every table has; the dictionary describes them once.
var everywhere = []string{transform.ExtraColumn, transform.VersionColumn, transform.HashColumn, transform.GoneColumn, transform.SyncedAtColumn, transform.RunIDColumn}

// Reference says that a column holds values of another column.
type Reference struct{ Table, Column, Of, OfColumn string }

// NewDictionary describes all streams of a catalogue, the built-in models and a user's own. A user's models are built in a separate process to
// learn their columns.
func NewDictionary(ctx context.Context, c *schemas.Catalogue, config *config.Config, program sandbox.Program) (*Dictionary, error) {
	all, err := models.Builtin()
	if err != nil {
		return nil, fmt.Errorf("read the built-in models: %w", err)
	}
	if config != nil {
		all = config.Models
	}
	b := &dictionaryBuilder{catalogue: c, models: all, relations: map[string]schemas.Relation{}}
	schema, err := b.publishSchema()
	if err != nil {
		return nil, err
	}
	if b.outline, _, err = publish.Outline(ctx, schema, program); err != nil {
		return nil, err
	}
	return b.buildDictionary(schema.Internal), nil
}

// FindFailedModels makes the models of users on empty tables, in a separate process. It returns a mistake for each that DuckDB refuses, and for each
// column that a file describes and its model does not have. It does not know models of datasets, whose columns only the source knows.
func FindFailedModels(ctx context.Context, c *schemas.Catalogue, config *config.Config, program sandbox.Program) (found grammar.Mistakes, err error) {
	if !slices.ContainsFunc(config.Models, func(m schemas.Relation) bool { return !models.IsBuiltin(m.Name) }) {
		return nil, nil
	}
	b := &dictionaryBuilder{catalogue: c, models: config.Models, relations: map[string]schemas.Relation{}}
	schema, err := b.publishSchema()
	if err != nil {
		return nil, err
	}
	made, failed, err := publish.Outline(ctx, schema, program)
	for _, m := range config.Models {
		if i := slices.IndexFunc(made, func(o publish.RelationOutline) bool { return o.Model && o.Name == m.Name }); i >= 0 && !models.IsBuiltin(m.Name) {
			found = append(found, unknownColumns(m, made[i])...)
		}
	}
	for _, f := range failed {
		m := config.Models[slices.IndexFunc(config.Models, func(m schemas.Relation) bool { return m.Name == f.Name })]
		mistake := grammar.Mistake{File: f.File, Line: f.Line, Column: 1, Message: fmt.Sprintf("model %q cannot be made: %v", f.Name, f.Err), Hint: f.Hint}
		if lines, at := strings.Split(m.SQL, "\n"), f.Line-m.Line; m.Private {
			mistake.Message = fmt.Sprintf("a model cannot be made: %v", f.Err)
		} else if at >= 0 && at < len(lines) {
			mistake.Excerpt, mistake.Column = lines[at], columnAfter(lines[at], f.Before)
		}
		if mistake.Hint == "" {
			mistake.Hint = "correct the SQL (docs/models.md#your-own-models)"
		}
		found = append(found, mistake)
	}
	return found, err
}

// columnAfter is the column after a text that a line begins with, or that DuckDB shortened at its beginning; 1 if the line does not have it, or
// has it twice.
func columnAfter(line, before string) int {
	shown, shortened := strings.CutPrefix(before, "...")
	at := strings.Index(line, shown)
	if at < 0 || shortened && strings.Count(line, shown) > 1 || !shortened && at > 0 {
		return 1
	}
	return utf8.RuneCountInString(line[:at+len(shown)]) + 1
}

// unknownColumns are the columns that a model's key line or column lines name, and that the model does not have.
func unknownColumns(m schemas.Relation, made publish.RelationOutline) (found grammar.Mistakes) {
	if m.Private {
		return nil
	}
	var has []string
	for _, c := range made.Columns {
		has = append(has, c.Name)
	}
	named := slices.Clone(m.Key)
	for _, c := range m.Columns {
		named = append(named, c.Name)
	}
	for i, name := range named {
		if !slices.Contains(has, name) && slices.Index(named, name) == i {
			found = append(found, m.ColumnMistake(name, fmt.Sprintf("model %q has no column %q", m.Name, name), grammar.DidYouMean(name, has)))
		}
	}
	return found
}

// dictionaryBuilder builds one Dictionary.
type dictionaryBuilder struct {
	catalogue *schemas.Catalogue
	models    []schemas.Relation
	relations map[string]schemas.Relation // by name: the relations that are published instead of tables
	outline   []publish.RelationOutline
}

// dictionarySchema is the workspace of the described warehouse, the usual one.
const dictionarySchema = "main"

// queryName is the name of a table or a model in a query.
func queryName(o publish.RelationOutline) string {
	if o.Model {
		return config.ModelSchema(dictionarySchema) + "." + o.Name
	}
	return o.Name
}

// publishSchema is the published schema of a workspace with all streams.
func (b *dictionaryBuilder) publishSchema() (publish.Schema, error) {
	s := publish.Schema{Name: dictionarySchema, Tables: Tables(b.catalogue.Streams()), Models: publish.Models{Schema: config.ModelSchema(dictionarySchema)}}
	for _, stream := range b.catalogue.Streams() {
		if stream.Internal {
			for _, t := range Tables([]*schemas.Stream{stream}) {
				s.Internal = append(s.Internal, t.Name, cmp.Or(t.View, t.Name))
			}
		}
		if stream.PublishAs == "" {
			continue
		}
		made, err := b.catalogue.Relations(stream.PublishAs)
		if err != nil {
			return s, err
		}
		for _, r := range made {
			b.relations[r.Name] = r
			s.Relations = append(s.Relations, PublishedRelation(r))
		}
	}
	for _, m := range b.models {
		relation := ModelRelation(m)
		relation.ChangedBy = nil // an outline has no rows that could have changed, nor records about them
		s.Models.Relations = append(s.Models.Relations, relation)
	}
	return s, nil
}

func (b *dictionaryBuilder) buildDictionary(internal []string) *Dictionary {
	d := &Dictionary{}
	for _, m := range b.models {
		d.Models = append(d.Models, b.describeTable(b.outlineOf(m)))
	}
	for _, s := range b.catalogue.Streams() {
		one := DictionaryStream{StreamDescription: describeStream(b.catalogue, s)}
		for _, name := range b.relationsOfStream(s) {
			for _, o := range b.outline {
				if o.Model || o.Name != name {
					continue
				}
				t := b.describeTable(o)
				t.Internal = slices.Contains(internal, name)
				one.Tables = append(one.Tables, t)
				d.Edges = append(d.Edges, visibleReferences(t)...)
			}
		}
		d.Streams = append(d.Streams, one)
	}
	return d
}

// outlineOf returns the outline of a model. A model that could not be built, because it reads columns that only the source knows, has the columns
// that its file describes.
func (b *dictionaryBuilder) outlineOf(m schemas.Relation) publish.RelationOutline {
	for _, o := range b.outline {
		if o.Model && o.Name == m.Name {
			return o
		}
	}
	o := publish.RelationOutline{Name: m.Name, Kind: m.Kind, Doc: m.Doc, Model: true}
	for _, c := range m.Columns {
		o.Columns = append(o.Columns, transform.Column{Name: c.Name, Doc: c.Doc})
	}
	return o
}

// relationsOfStream returns the relations listed under a stream: those for analysts first, then the tables that only feed them. What is in another
// stream's tables is listed there.
func (b *dictionaryBuilder) relationsOfStream(s *schemas.Stream) []string {
	if s.Into != "" || s.IsExportFamily() {
		return nil
	}
	names := slices.Clone(b.catalogue.PublishedNames(s))
	for _, t := range Tables([]*schemas.Stream{s}) {
		if name := cmp.Or(t.View, t.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if t.View != "" { // the view has the same columns
			names = slices.DeleteFunc(names, func(name string) bool { return name == t.Name })
		}
	}
	return names
}

// visibleReferences returns the references of a table that analysts see.
func visibleReferences(t DictionaryTable) (all []Reference) {
	for _, c := range t.Columns {
		if of, column, ok := strings.Cut(c.References, "."); ok && !t.Internal {
			all = append(all, Reference{t.Name, c.Name, of, column})
		}
	}
	return all
}

func (b *dictionaryBuilder) describeTable(o publish.RelationOutline) DictionaryTable {
	t := DictionaryTable{Name: queryName(o), Kind: o.Kind, Doc: o.Doc}
	relation, made := b.relations[o.Name]
	if o.Model {
		relation, made = b.models[slices.IndexFunc(b.models, func(m schemas.Relation) bool { return m.Name == o.Name })], true
	}
	t.Key = relation.Key
	if made {
		stored, others := sourceRelations(relation)
		for _, other := range others {
			stored = append(stored, config.ModelSchema(dictionarySchema)+"."+other)
		}
		slices.Sort(stored)
		t.Reads = stored
	}
	fields := b.fieldLineage(o.Name)
	for _, s := range b.catalogue.Streams() {
		for _, stored := range transform.Tables(s) {
			if !made && cmp.Or(stored.View, stored.Name) == o.Name {
				t.Key = stored.Key
			}
			if stored.View == o.Name {
				t.Gone = stored.Name
			}
		}
	}
	for _, c := range o.Columns {
		if slices.Contains(everywhere, c.Name) {
			continue
		}
		column := DictionaryColumn{Name: c.Name, Type: strings.ToLower(c.SQL), Doc: c.Doc, PII: c.PII || c.Person, References: c.References, From: fields[c.Name]}
		if made {
			column.From = b.columnSource(relation, t.Reads, o.Columns, c.Name)
		}
		if !o.Model {
			column.Into = b.modelsReading(o.Name, c.Name)
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// unspoken matches comments and string literals in SQL, whose words are no names of columns.
var unspoken = regexp.MustCompile(`--.*|'[^']*'`)

// modelsReading returns the models whose SQL reads a table and names the column.
func (b *dictionaryBuilder) modelsReading(table, column string) (all []string) {
	word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(column) + `\b`)
	for _, m := range b.models {
		if stored, _ := sourceRelations(m); slices.Contains(stored, table) && word.MatchString(unspoken.ReplaceAllString(m.SQL, "")) {
			all = append(all, config.ModelSchema(dictionarySchema)+"."+m.Name)
		}
	}
	return all
}

// fieldLineage returns for each column of a table the field of the API that it comes from, for each stream that writes it.
func (b *dictionaryBuilder) fieldLineage(table string) map[string][]string {
	all := map[string][]string{}
	for _, s := range b.catalogue.Streams() {
		if s.IsExportFamily() {
			continue
		}
		request := s.Read.Method + " " + s.Read.Path
		if s.Read.Detail != nil {
			request = "GET " + s.Read.Detail.Path
		}
		add := func(c schemas.Column, paths ...[]string) {
			if field := request + ": " + fieldOf(c, paths); !slices.Contains(all[c.Name], field) {
				all[c.Name] = append(all[c.Name], field)
			}
		}
		of := s
		if owner, ok := b.catalogue.Stream(s.Owner()); ok {
			of = owner
		}
		names := transform.Tables(of)
		if names[0].Name == table || names[0].View == table || of.Snapshot && of.DailyTable() == table {
			for _, c := range of.Columns {
				add(c)
			}
		}
		for _, child := range of.Children {
			if child.Table == table {
				for _, c := range child.Columns {
					add(c, of.PathsOf(child)...)
				}
			}
		}
	}
	return all
}

// fieldOf names the field of the API that a column comes from, or says in words where its value comes from. For a child table, paths are those of
// the list whose items are its rows.
func fieldOf(c schemas.Column, paths [][]string) string {
	path := eachOf(paths)
	switch c.From[0] {
	case schemas.FromReadAt:
		return "the server's time of the answer"
	case schemas.FromOver:
		return "the id that was asked for"
	case schemas.FromErased:
		return "whether it was erased"
	case schemas.FromPosition:
		return path + "[], the place in the list"
	case schemas.FromKey:
		return path + ", the key"
	case schemas.FromItem:
		return path + "[]"
	case schemas.FromParent:
		return strings.Join(c.From[1:], ".") + " of what it lies in"
	}
	if path != "" {
		return path + "[]." + eachOf(c.Places())
	}
	return eachOf(c.Places())
}

// eachOf lists paths of which the first with a value counts.
func eachOf(paths [][]string) string {
	var all []string
	for _, path := range paths {
		all = append(all, strings.Join(path, "."))
	}
	return strings.Join(all, " or ")
}
