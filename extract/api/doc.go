// Package api asks the workspace's API over HTTP by a Client that identifies itself, keeps to one request budget, asks again where that
// is safe, and says what went wrong where it did not help.
package api
