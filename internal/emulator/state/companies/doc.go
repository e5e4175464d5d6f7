// Package companies keeps the companies of a workspace, and who is in them.
package companies
