// Package verify compares stored rows with the workspace, and states the confidence of the result.
package verify
