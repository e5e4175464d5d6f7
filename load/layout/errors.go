package layout

import (
	"fmt"
	"strings"
)

// format is the content of the file that marks a directory as a warehouse.
const format = "aqueduck warehouse 1\n"

// PublicError is the error of a directory of a warehouse that every user may write to.
type PublicError struct{ Path string }

func (e *PublicError) Error() string { return e.Path + " is writable by every user" }

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
