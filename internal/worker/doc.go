// Package worker lets Temporal place the runs of workspaces on machines: one schedule a workspace, one run at a time.
package worker
