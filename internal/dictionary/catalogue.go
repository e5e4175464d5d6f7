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

// Described is a stream as the catalogue tells of it.
type Described struct {
	Stream       string           `json:"stream"`
	File         string           `json:"file"`
	Doc          string           `json:"doc"`
	Request      string           `json:"request"`
	Since        string           `json:"since"`
	Read         []string         `json:"read"`                  // how it is read, a sentence each
	Deletion     string           `json:"deletion"`              // how it is noticed that a record is gone
	Late         string           `json:"late"`                  // what is noticed late, and after how long
	Thousand     float64          `json:"requests_per_1000"`     // requests that reading 1,000 records takes
	Change       float64          `json:"requests_per_change"`   // 0: the whole list is read anyway
	Version      string           `json:"api_version,omitempty"` // the first that has it
	Scope        string           `json:"scope,omitempty"`
	Tables       []DescribedTable `json:"tables"`
	Shown        []string         `json:"-"` // the tables that analysts find
	ThousandText string           `json:"-"` // Thousand in words
	ChangeText   string           `json:"-"` // Change in words
}

// DescribedTable is a table of a stream.
type DescribedTable struct {
	Table   string            `json:"table"`
	Doc     string            `json:"doc"`
	Key     []string          `json:"key"`
	Parent  string            `json:"parent,omitempty"`
	Columns []DescribedColumn `json:"columns"`
}

// DescribedColumn is a column of a stream file.
type DescribedColumn struct {
	Column     string `json:"column"`
	Type       string `json:"type"`
	From       string `json:"from"`
	Doc        string `json:"doc"`
	PII        bool   `json:"pii,omitempty"` // personal data
	References string `json:"references,omitempty"`
}

// Describe tells of every stream of a catalogue, in the order of their names.
func Describe(c *schemas.Catalogue) []Described {
	var all []Described
	for _, s := range c.Streams() {
		all = append(all, describeStream(c, s))
	}
	return all
}

// DescribeOne tells of one stream; a name that is near helps when there is none.
func DescribeOne(c *schemas.Catalogue, name string) (Described, error) {
	s, ok := c.Stream(name)
	if !ok {
		return Described{}, noStream(c, name)
	}
	return describeStream(c, s), nil
}

func noStream(c *schemas.Catalogue, name string) error {
	next := "aqueduck streams lists them"
	if hint := grammar.DidYouMean(name, c.Names()); hint != "" {
		next = hint + "; " + next
	}
	return &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: fmt.Sprintf("there is no stream %q", name), Next: next}
}

func describeStream(c *schemas.Catalogue, s *schemas.Stream) Described {
	d := Described{Stream: s.Name, File: s.File, Doc: s.Doc, Request: s.Read.Method + " " + s.Read.Path, Since: s.Read.Since.By,
		Read: s.How(), Deletion: s.Deletion(), Late: s.Late(), Thousand: s.Thousand(), Change: s.Change(), ThousandText: s.ThousandText(), ChangeText: s.ChangeText(),
		Version: s.Needs.Version, Scope: s.Needs.Scope, Tables: []DescribedTable{}, Shown: c.Shown(s)}
	if s.Family() {
		return d
	}
	columns := [][]schemas.Column{s.Columns}
	for _, child := range s.Children {
		columns = append(columns, child.Columns)
	}
	for i, t := range transform.Tables(s) {
		one := DescribedTable{Table: t.Name, Doc: t.Doc, Key: t.Key, Parent: t.Parent}
		for _, column := range columns[i] {
			one.Columns = append(one.Columns, DescribedColumn{Column: column.Name, Type: string(column.Type), From: eachOf(column.Places()),
				Doc: column.Doc, PII: column.PII, References: column.References})
		}
		d.Tables = append(d.Tables, one)
	}
	return d
}

// StreamOf gives the stream that a person means by a name of the catalogue or by a stream file. A file that the catalogue
// does not have yet is added to it; what is wrong with it comes back as grammar.Mistakes.
func StreamOf(c *schemas.Catalogue, name string) (*schemas.Stream, error) {
	if s, ok := c.Stream(name); ok {
		return s, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./") {
		return nil, noStream(c, name)
	}
	if err != nil {
		return nil, &problem.Problem{Class: "config", What: "read the stream file", Err: err, Next: "name a stream file, or a stream that aqueduck streams lists"}
	}
	declared := schemas.Declared(text)
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
