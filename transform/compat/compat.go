// Package compat has the views that show the stored tables under the names and columns of another tool's tables, so that
// SQL written for that tool reads them.
package compat

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"aqueduck/schemas"
)

//go:embed fivetran/*.sql
var files embed.FS

// Fivetran is the name, in the configuration and as a schema, of the views that fivetran/dbt_intercom 1.6 reads.
const Fivetran = "fivetran"

// Schema is the schema of the views over a workspace's tables.
func Schema(workspace string) string {
	if workspace == "main" {
		return Fivetran
	}
	return workspace + "_" + Fivetran
}

// Streams are the streams that the views read, in the order of the alphabet.
func Streams() []string {
	return []string{"admins", "articles", "collections", "companies", "contacts", "conversations", "help_centers", "tags", "teams"}
}

// Views are the views, in the order of their names. kept reports whether a history of a stream's records is kept: their view then
// has a row for each state.
func Views(kept func(stream string) bool) ([]schemas.Relation, error) {
	names, err := fs.Glob(files, Fivetran+"/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the views: %w", err)
	}
	var all []schemas.Relation
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the view %s: %w", name, err)
		}
		views, err := schemas.ParseRelations(path.Join("transform/compat", name), string(text))
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			v.SQL = expandSQL(v.SQL, kept)
			v.Columns = append(v.Columns, systemColumns...)
			all = append(all, v)
		}
	}
	return all, nil
}

// systemColumns documents the columns that the other tool adds to its tables.
var systemColumns = []schemas.RelationColumn{
	{Name: "_fivetran_deleted", Doc: "The source no longer has it."},
	{Name: "_fivetran_active", Doc: "It is the present state, and the source still has the record."},
	{Name: "_fivetran_start", Doc: "Start of the state: with history the first answer that showed it, otherwise the last change of the record."},
	{Name: "_fivetran_end", Doc: "End of the state: a microsecond before the next one, or the time when the record disappeared; the end of the year 9999 while it lasts."},
	{Name: "_fivetran_synced", Doc: "Time of the commit that last changed the row."},
}

var placeholder = regexp.MustCompile(`\{(deleted|synced|state|states of|current|state of)(?: (\w+))?(?: with (\w+))?\}`)

// expandSQL replaces what all views have in common:
//
//   - {states of contacts}: the contacts with their columns, and the columns of {state}
//   - {current contacts}: the same without older states
//   - {state}: _fivetran_active, _fivetran_start, _fivetran_end and _fivetran_synced
//   - {state of c with t}: those of c, for a row of t that belongs to it
//   - {deleted}, {synced}: _fivetran_deleted and _fivetran_synced of a stored row
func expandSQL(query string, kept func(stream string) bool) string {
	return placeholder.ReplaceAllStringFunc(query, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		switch parts[1] {
		case "deleted":
			return "_gone_at IS NOT NULL AS _fivetran_deleted"
		case "synced":
			return "timezone('UTC', _synced_at) AS _fivetran_synced"
		case "state":
			return "_fivetran_active, _fivetran_start, _fivetran_end, timezone('UTC', _synced_at) AS _fivetran_synced"
		case "state of":
			return strings.NewReplacer("c.", parts[2]+".", "t.", parts[3]+".").Replace(
				"c._fivetran_active, c._fivetran_start, c._fivetran_end, timezone('UTC', greatest(t._synced_at, c._synced_at)) AS _fivetran_synced")
		case "states of":
			if kept(parts[2]) {
				return "(" + statesOf(parts[2]) + ")"
			}
		}
		return "(" + currentOf(parts[2]) + ")"
	})
}

// lasting is the end of a state that lasts, as the other tool writes it.
const lasting = "TIMESTAMP '9999-12-31 23:59:59.999'"

// currentOf gives the last state of each record of a stream.
func currentOf(stream string) string {
	active, end := "_gone_at IS NULL", "_gone_at"
	if stream == "contacts" {
		active, end = "lifecycle = 'active'", "coalesce(inactive_since, _synced_at)"
	}
	return fmt.Sprintf(`SELECT *, %[2]s AS _fivetran_active, timezone('UTC', coalesce(updated_at, created_at)) AS _fivetran_start,
		CASE WHEN %[2]s THEN %[4]s ELSE timezone('UTC', %[3]s) END AS _fivetran_end FROM {schema}.%[1]s_all`, stream, active, end, lasting)
}

// statesOf gives all kept states of each record of a stream, and its last state from the stored row: the history has no state of a
// record that disappeared before the history began.
func statesOf(stream string) string {
	return fmt.Sprintf(`WITH current AS (%[1]s), kept AS (
		SELECT *, valid_from = max(valid_from) OVER (PARTITION BY id) AS is_newest FROM {schema}.%[2]s_history
	)
	SELECT c.* REPLACE (timezone('UTC', CASE WHEN k.valid_to IS NOT NULL AND c._fivetran_active THEN k.valid_to
	       ELSE coalesce(k.valid_from, c.updated_at, c.created_at) END) AS _fivetran_start)
	FROM current c LEFT JOIN kept k ON k.id = c.id AND k.is_newest
	UNION ALL BY NAME
	SELECT k.* EXCLUDE (is_newest, valid_from, valid_to, source_updated_at, lifecycle), false AS _fivetran_active,
	       timezone('UTC', k.valid_from) AS _fivetran_start,
	       timezone('UTC', CASE WHEN k.lifecycle IS NULL THEN k.valid_to - INTERVAL 1 microsecond ELSE k.valid_to END) AS _fivetran_end
	FROM kept k JOIN current c ON c.id = k.id
	WHERE k.valid_to IS NOT NULL AND NOT (k.is_newest AND NOT c._fivetran_active)`, currentOf(stream), stream)
}
