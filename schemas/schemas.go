// Package schemas has the stream files: how each stream is read, its columns, its child tables, its documentation.
//
// Built-in streams are files beside this one. They are checked like those that a user adds.
package schemas

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
)

//go:embed *.yaml *.sql
var builtin embed.FS

// File is one stream file.
type File struct {
	Name    string // for messages
	Text    []byte
	Dir     fs.FS // directory of its SQL files; nil: none
	Private bool  // messages quote nothing of it, nor of its SQL files
}

// Builtin reads a catalogue of the built-in streams. It belongs to the caller, who may change its streams: nothing is shared with others.
// It does not look for mistakes that the grammar cannot find: a test does, so that no command has to.
func Builtin() (*Catalogue, error) {
	c := new(Catalogue)
	names, err := fs.Glob(builtin, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the built-in streams: %w", err)
	}
	var files []File
	for _, name := range names {
		text, err := fs.ReadFile(builtin, name)
		if err != nil {
			return nil, fmt.Errorf("read the built-in streams: %w", err)
		}
		files = append(files, File{Name: path.Join("schemas", name), Text: text, Dir: builtin})
	}
	if err := c.addFiles(files, func(*Catalogue, *streamDraft) {}); err != nil {
		return nil, err
	}
	for _, s := range c.Streams() {
		s.BuiltIn = true
	}
	return c, nil
}

// AddStream adds one stream file that needs no SQL file. Its error is grammar.Mistakes; the catalogue is then unchanged.
func (c *Catalogue) AddStream(name string, text []byte) error {
	return c.AddFiles(File{Name: name, Text: text})
}

// AddFiles adds stream files, which may refer to each other. Its error is grammar.Mistakes with the mistakes of all files; the
// catalogue is then unchanged.
func (c *Catalogue) AddFiles(files ...File) error {
	return c.addFiles(files, (*Catalogue).checkDraft)
}

func (c *Catalogue) addFiles(files []File, check func(*Catalogue, *streamDraft)) error {
	var report grammar.Report
	next, spec := c.cloneCatalogue(), Spec()
	var added []*streamDraft
	for _, f := range files {
		if f.Private {
			report.Hide(f.Name)
		}
		v := report.Read(f.Name, f.Text, spec, nil)
		d := buildDraft(f.Name, v)
		if d.stream.Name == "" {
			continue
		}
		if other, taken := next.drafts[d.stream.Name]; taken {
			hint, where := "give one of them another name, or remove one of the files", "already declared in "+other.stream.File
			if other.stream.BuiltIn {
				hint, where = "give yours another name, or remove the file", "built in"
			}
			v.Key("stream").Wrong(hint, "stream %q is %s", d.stream.Name, where)
			continue
		}
		next.readSQLFiles(d, f, &report)
		next.drafts[d.stream.Name] = d
		added = append(added, d)
	}
	for _, d := range added {
		next.resolveDraft(d, nil)
	}
	for _, d := range added {
		if model := next.drafts[d.like]; d.stream.Copies && slices.Contains(added, model) {
			model.linkCopies(d)
		}
	}
	// When a file has no stream name, errors in other files may only follow from that: stop here.
	if err := report.Err(); err != nil && len(added) < len(files) {
		return err
	}
	for _, d := range added {
		check(next, d)
	}
	if err := report.Err(); err != nil {
		return err
	}
	*c = *next
	return nil
}

// readSQLFiles reads the SQL files that a stream file names.
func (c *Catalogue) readSQLFiles(d *streamDraft, f File, report *grammar.Report) {
	dir := f.Dir
	private := func(name string) bool {
		file := filepath.Join(filepath.Dir(f.Name), name)
		if f.Private {
			report.Hide(file)
		}
		return dir != nil && report.IsPrivate(file)
	}
	keep := func(name, text string) string {
		d.stream.queries = append(d.stream.queries, Relation{File: filepath.Join(filepath.Dir(f.Name), name), Line: 1, SQL: text, Private: private(name)})
		return text
	}
	if over := d.stream.Read.Over; over != nil && over.View != "" {
		over.SQL, over.Private = keep(over.View, sqlText(viewOf(d.file.Key("read").Key("over")), dir, over.View)), private(over.View)
	}
	if persons := d.stream.Persons; persons != nil {
		for key, into := range map[string]*string{"forgotten": &persons.Deleted, "merged": &persons.Merged} {
			if v := d.file.Key("persons").Key(key); v.IsSet() {
				*into = keep(v.Text(), sqlText(v, dir, v.Text()))
				persons.Private = persons.Private || private(v.Text())
			}
		}
	}
	name := d.stream.PublishAs
	if name == "" {
		return
	}
	v := d.file.Key("publish_as")
	if _, taken := c.relations[name]; taken {
		v.Wrong("", "another stream publishes %q", name)
		return
	}
	text := sqlText(v, dir, name+".sql")
	if text == "" {
		return
	}
	hidden := private(name + ".sql")
	all, err := ParseRelations(filepath.Join(filepath.Dir(f.Name), name+".sql"), text)
	if err != nil {
		v.Report(err)
		return
	}
	for i := range all {
		all[i].Private = hidden
	}
	c.relations[name] = all
}

func sqlText(v *grammar.Value, dir fs.FS, name string) string {
	if dir == nil {
		v.Wrong("", "no SQL file %q", name)
		return ""
	}
	text, err := fs.ReadFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		v.Wrong("write it there, or correct the name", "no SQL file %q beside the stream file", name)
		return ""
	}
	if err != nil {
		v.Wrong("", "read the SQL file: %v", err)
		return ""
	}
	if strings.TrimSpace(string(text)) == "" {
		v.Wrong("", "the SQL file %q is empty", name)
	}
	return string(text)
}

// resolveDraft adds what a stream inherits from another one, after that one is resolved. trail detects cycles.
func (c *Catalogue) resolveDraft(d *streamDraft, trail []string) {
	if d.resolved || d.like == "" {
		d.resolved = true
		return
	}
	d.resolved = true
	v := d.file.Key("like")
	if d.stream.Into != "" {
		v = d.file.Key("into")
	}
	model, known := c.drafts[d.like]
	if !known {
		v.Wrong(grammar.DidYouMean(d.like, c.Names()), "no stream %q", d.like)
		return
	}
	trail = append(trail, d.stream.Name)
	if slices.Contains(trail, d.like) {
		v.Wrong("", "%q is like itself, through %q", d.like, strings.Join(trail, ", "))
		return
	}
	c.resolveDraft(model, trail)
	d.inheritFrom(model)
}

// Relations are the relations in the SQL file of a publish_as, in the order in which they must be made.
func (c *Catalogue) Relations(publishAs string) ([]Relation, error) {
	all, ok := c.relations[publishAs]
	if !ok {
		return nil, fmt.Errorf("no stream publishes %q", publishAs)
	}
	return slices.Clone(all), nil
}

// DeclaredName is the stream name in a file's text, even if the rest is invalid; "" when there is none.
func DeclaredName(text []byte) string {
	var report grammar.Report
	if declared := report.Read("", text, Spec(), nil).Key("stream").Text(); declared != "" {
		return declared
	}
	if line := declaration.FindSubmatch(text); line != nil { // the file is not YAML
		return string(line[1])
	}
	return ""
}

var declaration = regexp.MustCompile(`(?m)^stream: *([a-z][a-z0-9_]*)\s*$`)
