// Package api sends requests to the workspace's API: its Client keeps to one request budget, repeats a request where that is safe, and
// classifies errors.
package api
