//go:build !unix

package disk

import "io/fs"

// OwnedByOther reports whether another user owns a file; false here, where files have no owner to compare.
func OwnedByOther(fs.FileInfo) bool { return false }

// Umask returns 0: new files lack no permission here.
func Umask() fs.FileMode { return 0 }

// OwnerOf returns -1: files have no owner to compare here.
func OwnerOf(fs.FileInfo) int { return -1 }

// GroupOf returns -1: files have no group here.
func GroupOf(fs.FileInfo) int { return -1 }
