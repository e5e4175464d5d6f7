// Package extract reads streams from the workspace's API, page by page.
//
// A Reader turns a stream file's `read` block into pages of raw records, each with the State that is true once everything up to it
// is stored. An api.Client asks for it. Nothing here knows tables or SQL.
package extract
