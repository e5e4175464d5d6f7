package dictionary

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// StreamDescription is a stream as the catalogue page describes it.
type StreamDescription struct {
	Stream       string             `json:"stream"`
	File         string             `json:"file"`
	Doc          string             `json:"doc"`
	Request      string             `json:"request"`
	Since        string             `json:"since"`
	Read         []string           `json:"read"`                  // how it is read, one sentence each
	Deletion     string             `json:"deletion"`              // how a deleted record is noticed
	Late         string             `json:"late"`                  // what is noticed late, and how late
	Thousand     float64            `json:"requests_per_1000"`     // requests for reading 1,000 records
	Change       float64            `json:"requests_per_change"`   // requests for one changed record; 0: the whole list is read anyway
	Version      string             `json:"api_version,omitempty"` // the first version that has it
	Scope        string             `json:"scope,omitempty"`
	Tables       []TableDescription `json:"tables"`
	Shown        []string           `json:"-"` // the tables that analysts use
	ThousandText string             `json:"-"` // Thousand in words
	ChangeText   string             `json:"-"` // Change in words
}

// TableDescription is a table of a stream.
type TableDescription struct {
	Table   string              `json:"table"`
	Doc     string              `json:"doc"`
	Key     []string            `json:"key"`
	Parent  string              `json:"parent,omitempty"`
	Columns []ColumnDescription `json:"columns"`
}

// ColumnDescription is a column of a stream file.
type ColumnDescription struct {
	Column     string `json:"column"`
	Type       string `json:"type"`
	From       string `json:"from"`
	Doc        string `json:"doc"`
	PII        bool   `json:"pii,omitempty"` // personal data
	References string `json:"references,omitempty"`
}

// DescribeCatalogue describes every stream of a catalogue, in the order of their names.
func DescribeCatalogue(c *schemas.Catalogue) []StreamDescription {
	var all []StreamDescription
	for _, s := range c.Streams() {
		all = append(all, describeStream(c, s))
	}
	return all
}

// DescribeStream describes one stream. The error of an unknown name suggests a similar one.
func DescribeStream(c *schemas.Catalogue, name string) (StreamDescription, error) {
	s, ok := c.Stream(name)
	if !ok {
		return StreamDescription{}, noStream(c, name)
	}
	return describeStream(c, s), nil
}

// noStream is the error of an unknown name. A dataset of exports has no file: its columns are those of the source.
func noStream(c *schemas.Catalogue, name string) error {
	for _, s := range c.Streams() {
		if s.IsExportFamily() && strings.HasPrefix(name, s.Name+"_") {
			return &problem.Problem{Class: "usage", What: fmt.Sprintf("%q would be a dataset of the stream %s, whose columns only the source knows", name, s.Name),
				Next: fmt.Sprintf("aqueduck streams %s; after a run: aqueduck query \"FROM _sync.dictionary WHERE table_name = '%s'\"", s.Name, name)}
		}
	}
	next := grammar.BeforeStep(name, c.Names()) + "list them: aqueduck streams"
	return &problem.Problem{Class: "usage", What: fmt.Sprintf("there is no stream %q", name), Next: next}
}

func describeStream(c *schemas.Catalogue, s *schemas.Stream) StreamDescription {
	d := StreamDescription{Stream: s.Name, File: s.File, Doc: s.Doc, Request: s.Read.Method + " " + s.Read.Path, Since: s.Read.Since.By,
		Read: s.DescribeRead(), Deletion: s.DescribeDeletions(), Late: s.DescribeLateness(), Thousand: s.RequestsPerThousand(), Change: s.RequestsPerChange(), ThousandText: s.PerThousandText(), ChangeText: s.PerChangeText(),
		Version: s.Requirements.Version, Scope: s.Requirements.Scope, Tables: []TableDescription{}, Shown: c.PublishedNames(s)}
	if s.IsExportFamily() {
		return d
	}
	columns := [][]schemas.Column{s.Columns}
	for _, child := range s.Children {
		columns = append(columns, child.Columns)
	}
	for i, t := range transform.Tables(s) {
		one := TableDescription{Table: t.Name, Doc: t.Doc, Key: t.Key, Parent: t.Parent}
		for _, column := range columns[i] {
			one.Columns = append(one.Columns, ColumnDescription{Column: column.Name, Type: string(column.Type), From: eachOf(column.Places()),
				Doc: column.Doc, PII: column.PII, References: column.References})
		}
		d.Tables = append(d.Tables, one)
	}
	return d
}

// FindStream returns the stream with a name of the catalogue, or of a stream file. A file that the catalogue does not have is added to it.
// Mistakes in the file are returned as grammar.Mistakes.
func FindStream(c *schemas.Catalogue, name string) (*schemas.Stream, error) {
	if s, ok := c.Stream(name); ok {
		return s, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./") {
		return nil, noStream(c, name)
	}
	if err != nil {
		return nil, &problem.Problem{Class: "config", What: "read the stream file " + name, Err: err, Next: "give a stream file, or a stream from the list of aqueduck streams"}
	}
	declared := schemas.DeclaredName(text)
	if s, ok := c.Stream(declared); ok && sameFile(s.File, name) {
		return s, nil
	}
	if err := c.AddFiles(schemas.File{Name: name, Text: text, Dir: os.DirFS(filepath.Dir(name))}); err != nil {
		return nil, err
	}
	s, _ := c.Stream(declared)
	return s, nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
