package transform

import (
	"testing"

	"aqueduck/schemas"

	"github.com/google/go-cmp/cmp"
)

func TestFingerprintsHaveTheValuesOfAListsRecord(t *testing.T) {
	t.Parallel()
	s := thingStream()
	s.Read.Detail = &schemas.Detail{UnlessSame: [][]string{{"at"}, {"i"}, {"place", "city"}}}
	heads, err := NewFingerprintReader(s)
	if err != nil {
		t.Fatal(err)
	}
	for record, want := range map[string]ListFingerprint{
		`{"id": 7, "i": 3, "at": 1700000000, "place": {"city": "Ürümqi", "x": 1}, "parts": [1]}`: {Key: "7", Values: []string{"1700000000000000", "3", "Ürümqi"}},
		`{"id": "7", "i": "3", "at": "2023-11-14T22:13:20Z", "place": {"city": ""}}`:             {Key: "7", Values: []string{"1700000000000000", "3", ""}},
		`{"id": "7", "i": 3, "at": 1700000000}`:                                                  {},
		`{"id": "7", "i": "many", "at": 1700000000, "place": {"city": "x"}}`:                     {},
		`{"i": 3, "at": 1700000000, "place": {"city": "x"}}`:                                     {},
		`[]`:                       {},
		`{"id": "7", "i": 3, "at"`: {},
	} {
		if diff := cmp.Diff(want, heads.Read([]byte(record))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", record, diff)
		}
	}
}

func TestFingerprintsAreForStreamsWithDetail(t *testing.T) {
	t.Parallel()
	s := thingStream()
	if heads, err := NewFingerprintReader(s); heads != nil || err != nil {
		t.Errorf("%v, %v", heads, err)
	}
	s.Read.Detail = &schemas.Detail{UnlessSame: [][]string{{"nowhere"}}}
	if _, err := NewFingerprintReader(s); err == nil {
		t.Error("a path without a column was taken")
	}
}
