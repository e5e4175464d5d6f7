// Package verify compares what is stored with the workspace, and says how sure that is.
package verify
