package mirror

import (
	"time"

	"aqueduck/load/layout"
)

// Target says what is mirrored, and where to.
type Target struct {
	Dir      layout.Dir
	Catalog  string // sqlite:PATH, postgres://HOST:PORT/DATABASE or rest:https://HOST/PATH
	Location string // s3://bucket/prefix, gs://bucket/prefix or abfss://container@account.dfs.core.windows.net/prefix
	Store    string // the object store that keeps the published file; "": none
	Epoch    int64  // of the head of that store
	Schemas  []Schema
	Masks    []string         // what is hashed or dropped, in any order; a new one is an erasure for older files
	Now      func() time.Time // the machine's clock
	Patience time.Duration    // how long the object store may be silent in a request; 0: a minute
}

// Schema is a workspace of the warehouse.
type Schema struct {
	Name     string
	Tables   []string            // tables and relations for readers
	Internal []string            // stored tables that are not
	Keys     map[string][]string // the columns that identify a row, by table; a table may lack
}

// Verified says whether the tables are equal to the published file.
type Verified struct {
	Place    string          `json:"location"`            // of the tables
	File     string          `json:"file"`                // the published file
	Engine   string          `json:"engine,omitempty"`    // with its version, which read all tables, too
	NoEngine string          `json:"no_engine,omitempty"` // why no engine did
	Tables   []VerifiedTable `json:"tables"`
}

// VerifiedTable is the result for one table.
type VerifiedTable struct {
	Workspace string `json:"workspace"`
	Table     string `json:"table"`
	Rows      int64  `json:"rows"`              // of the published file
	Differs   string `json:"differs,omitempty"` // what is different; "": nothing
}

// Differing are the tables that are not equal to the published file.
func (v Verified) Differing() (all []VerifiedTable) {
	for _, t := range v.Tables {
		if t.Differs != "" {
			all = append(all, t)
		}
	}
	return all
}

// Report says what a mirror did.
type Report struct {
	Place   string   `json:"location"`       // of the tables
	File    string   `json:"file"`           // the published file
	Tables  int      `json:"tables"`         // that are equal to it now
	Changed int      `json:"changed_tables"` // of them, in which this mirror committed
	Added   int64    `json:"rows_added"`     // changed rows among them
	Removed int64    `json:"rows_removed"`   // changed rows among them
	Erased  int      `json:"objects_erased"` // that were deleted after an erasure
	Notes   []string `json:"notes"`
}
