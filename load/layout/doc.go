// Package layout knows the files of a warehouse: paths, locks, permissions and free disk space.
package layout
