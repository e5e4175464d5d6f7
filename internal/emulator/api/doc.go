// Package api has the routes of the workspace API and what each of them answers, from what is kept or by having it changed.
// changed.
package api
