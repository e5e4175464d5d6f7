// Package front is the HTTP side of the workspace API: access, rate limit, faults on the way of an answer, and the log of requests.
package front
