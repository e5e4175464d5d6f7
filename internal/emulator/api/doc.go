// Package api has the routes of the workspace API: each one reads or changes the state and builds the answer.
package api
