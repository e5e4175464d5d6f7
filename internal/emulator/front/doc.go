// Package front is the HTTP side of the workspace API: it knows who may ask how often, has faults happen on the way of an answer, and keeps
// a log of what was asked.
package front
