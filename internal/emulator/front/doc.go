// Package front is the HTTP side of the workspace API: it checks tokens and rate limits, injects faults, and logs requests.
package front
