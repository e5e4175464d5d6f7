// Package render formats what commands print: tables, reports, logs, the dictionary and the live view of a run.
package render
