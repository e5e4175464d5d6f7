// Package layout says where everything of a warehouse lies, and who may write there: its directory, its locks, its room on the disk.
package layout
