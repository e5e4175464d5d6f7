// Package adminlog stores the activity log of the admins of a workspace.
package adminlog
