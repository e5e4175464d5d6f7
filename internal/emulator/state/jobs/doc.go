// Package jobs keeps the jobs of a workspace that do things in bulk, or later.
package jobs
