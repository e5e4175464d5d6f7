// Package erase removes data subjects, and texts that the source redacted, from all stored rows, and keeps them out of later commits.
package erase
