package transform

import "testing"

// TestAContentFingerprintIsThatOfAnEqualMerge: two readings of a list have the same fingerprint when a commit would treat them alike.
func TestAContentFingerprintIsThatOfAnEqualMerge(t *testing.T) {
	t.Parallel()
	print := func(change func([]Batch), records ...string) string {
		t.Helper()
		d := newTestDecoder(t, thingStream(), Options{}).appendAll(records...)
		batches := d.Take()
		defer func() {
			for _, b := range batches {
				b.Rows.Release()
			}
		}()
		if change != nil {
			change(batches)
		}
		return ContentFingerprint(batches)
	}
	first, second := `{"id":"1","t":"a","tags":{"data":[{"id":"1","name":"n"}]},"parts":[{"id":"p","body":"b"}]}`, `{"id":"2","t":"b"}`
	base := print(nil, first, second)
	if base == "" || base != print(nil, first, second) {
		t.Fatalf("two readings: %q and %q", base, print(nil, first, second))
	}
	if volatile := print(func(b []Batch) { b[0].Sweep = 7 }, first, second); volatile != base {
		t.Error("the number of the sweep counts")
	}
	seen := map[string]string{base: "the same list"}
	for name, records := range map[string][]string{
		"one less": {first}, "none": {}, "another order": {second, first}, "a record twice": {first, second, second},
		"another value":   {first, `{"id":"2","t":"c"}`},
		"another key":     {first, `{"id":"3","t":"b"}`},
		"another tag":     {`{"id":"1","t":"a","tags":{"data":[{"id":"1","name":"m"}]},"parts":[{"id":"p","body":"b"}]}`, second},
		"another part":    {`{"id":"1","t":"a","tags":{"data":[{"id":"1","name":"n"}]},"parts":[{"id":"p","body":"c"}]}`, second},
		"another field":   {`{"id":"1","t":"a","new":1,"tags":{"data":[{"id":"1","name":"n"}]},"parts":[{"id":"p","body":"b"}]}`, second},
		"no list of tags": {`{"id":"1","t":"a","parts":[{"id":"p","body":"b"}]}`, second},
	} {
		got := print(nil, records...)
		if other, taken := seen[got]; taken || got == "" {
			t.Errorf("%s: fingerprint %q, as %s", name, got, other)
		}
		seen[got] = name
	}
	for name, change := range map[string]func([]Batch){
		"seen keys":    func(b []Batch) { b[0].Seen = []string{"9"} },
		"answered ids": func(b []Batch) { b[0].Answered = []string{"9"} },
		"redacted ids": func(b []Batch) { b[0].RedactedIDs = []string{"9"} },
		"incomplete":   func(b []Batch) { b[0].Incomplete = []Incomplete{{Key: "1"}} },
		"completed":    func(b []Batch) { b[0].Completed = []string{"1"} },
		"dead letters": func(b []Batch) { b[0].DeadLetters = []DeadLetter{{Key: "1"}} },
		"a refresh":    func(b []Batch) { b[0].Refresh = true },
		"a window":     func(b []Batch) { b[0].Mode = ReplaceWindow },
	} {
		if got := print(change, first, second); got != "" {
			t.Errorf("%s: fingerprint %q, want none", name, got)
		}
	}
}
