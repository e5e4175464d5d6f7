// Package extract reads streams from the workspace's API, page by page.
//
// A Reader turns a stream file's `read` block into pages of raw records. Each page has the State that is true once its records and
// all before them are stored. The Reader sends its requests through an api.Client. The package knows neither tables nor SQL.
package extract
