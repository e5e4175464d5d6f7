// Package jobs stores the jobs of a workspace that work in bulk or later.
package jobs
