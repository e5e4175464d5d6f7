//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/problem"
	"aqueduck/load/differ"
)

// mirror is one mirror while it runs.
type mirror struct {
	options   Target
	objects   *objects
	catalog   tableCatalog
	file      *differ.Published
	claim     string // of this mirror alone
	warehouse string // the identity of the warehouse
	erasures  string // of its log of erasures
	report    *Report

	// Of the workspace that is mirrored:
	namespace string
	location  string
	control   controlTable
	erased    *erasedObjects          // nil: this mirror is no erasure
	opened    map[string]*table.Table // as they were when the mirror began; nil: there is none
}

// explain makes an error a Problem. One that is a Problem stays so.
func (m *mirror) explain(schema string, err error) error {
	err = m.catalog.explainREST(err, true)
	if p := new(problem.Problem); errors.Is(err, context.Canceled) || errors.As(err, &p) {
		return err
	}
	return &problem.Problem{Class: "transient", What: fmt.Sprintf("mirror %s to %s by the catalog %s", schema, m.options.Location, m.options.Catalog), Err: err,
		Next: "see whether the catalog can be read and written; the next run, or aqueduck mirror, does what is missing"}
}

func (m *mirror) note(format string, args ...any) {
	m.report.Notes = append(m.report.Notes, fmt.Sprintf(format, args...))
}

// controlTable is the table of mirrors, as this mirror knows it.
type controlTable struct {
	table    *table.Table
	begun    bool     // this mirror has its row there
	unended  bool     // an earlier mirror began and did not end: another machine may still be in it
	claims   []string // of the mirrors since the last one that ended: what they changed is not in the table of changes
	erasures string   // the log of erasures that all tables comply with
	file     string   // the published file that all tables are equal to; "": a mirror did not end
}

// fenced is the error of a mirror that another one has overtaken.
func (m *mirror) fenced(why string) error {
	return &problem.Problem{Class: "busy", What: fmt.Sprintf("the tables of %s are not changed: %s", m.namespace, why),
		Next: "run the warehouse on one machine at a time; the next run, or aqueduck mirror, does what is missing"}
}

func (m *mirror) epoch() string { return strconv.FormatInt(m.options.Epoch, 10) }
