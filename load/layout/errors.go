package layout

import (
	"errors"
	"fmt"
	"strings"
)

// format is the content of the file that marks a directory as a warehouse.
const format = "aqueduck warehouse 1\n"

// PublicError is the error of a directory of a warehouse that every user may write to.
type PublicError struct{ Path string }

func (e *PublicError) Error() string { return e.Path + " is writable by every user" }

// OwnerError is the error of a directory of a warehouse that another user owns, who could change its files.
type OwnerError struct{ Path, Owner string }

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s belongs to another user (%s), who could change its files", e.Path, e.Owner)
}

// IsOfOther reports whether another user owns the directory of a warehouse, or one of those in it. No run writes to it then.
func IsOfOther(d Dir) bool {
	var other *OwnerError
	return errors.As(Trusted(d), &other)
}

// UnmarkedError is the error of a warehouse without the file that marks it as one.
type UnmarkedError struct{ Path string }

func (e *UnmarkedError) Error() string {
	return e.Path + " is missing: every warehouse has this file"
}

// Restore is the command that writes the file again.
func (e *UnmarkedError) Restore() string {
	return "echo '" + strings.TrimSpace(format) + "' > " + e.Path
}

// FormatError is the error of a warehouse that another version of the program made.
type FormatError struct{ Path, Found string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s says %q: another version of the program made this warehouse", e.Path, e.Found)
}

// LinkReplacedError is the error of a file in the place of the link to the published file.
type LinkReplacedError struct{ Path string }

func (e *LinkReplacedError) Error() string {
	return e.Path + " is a file, not the link to the published file"
}
