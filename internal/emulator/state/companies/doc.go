// Package companies stores the companies of a workspace, with their members.
package companies
