// Package adminlog keeps the log of what the admins of a workspace did.
package adminlog
