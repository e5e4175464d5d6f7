package failure

import (
	"errors"
	"testing"
)

// A damaged block of the published file shows only to a statement that reads it.
func TestDamagedBlockMakesThePublishedFileUnreadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 3": true,
		"Catalog Error: Table with name Corrupt does not exist!":                                                       false,
	} {
		err := errors.New(text)
		if got := AsUnreadable(err); errors.Is(got, ErrUnreadable) != want || !errors.Is(got, err) {
			t.Errorf("%s: %v", text, got)
		}
	}
	if err := AsUnreadable(nil); err != nil {
		t.Error(err)
	}
}
