// Package api sends requests to the workspace's API. Its Client authenticates, keeps to one request budget, retries where that is safe,
// and classifies errors.
package api
