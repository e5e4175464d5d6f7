package search

type fieldKind int

// Field is a searchable field with its type (workspace-api 4.1).
type Field[D any] struct {
	kind fieldKind
	text func(d *D) string
	date func(d *D) int64 // also for a numberField
	flag func(d *D) bool
	ids  func(d *D) []string
	rare bool // a numberField that may have no value, with 0 for none
}

// TextField returns a field of text.
func TextField[D any](f func(d *D) string) Field[D] { return Field[D]{kind: textField, text: f} }

// DateField returns a field of a time.
func DateField[D any](f func(d *D) int64) Field[D] { return Field[D]{kind: dateField, date: f} }

// BoolField returns a field that is true or false.
func BoolField[D any](f func(d *D) bool) Field[D] { return Field[D]{kind: boolField, flag: f} }

// IntegerField returns a field of a whole number that is not a time.
func IntegerField[D any](f func(d *D) int64) Field[D] { return Field[D]{kind: numberField, date: f} }

// OptionalInteger returns a field of a whole number that a record may not have, with 0 for none.
func OptionalInteger[D any](f func(d *D) int64) Field[D] {
	return Field[D]{kind: numberField, date: f, rare: true}
}

// MembersField returns a field of several ids.
func MembersField[D any](f func(d *D) []string) Field[D] { return Field[D]{kind: tagField, ids: f} }

const (
	textField fieldKind = iota
	dateField
	boolField
	tagField    // a list of ids
	numberField // an integer that is not a time
)
