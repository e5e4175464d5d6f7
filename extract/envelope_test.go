package extract

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/scan"
)

func TestInstantsOfEveryForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1773144000": 1773144000, "1773144000.0": 1773144000, `"1773144000"`: 1773144000, "1.773144e9": 1773144000, "0": 0, "-5": -5,
		`"2026-03-10T12:00:00Z"`: 1773144000, `"2026-03-10T13:00:00+01:00"`: 1773144000, `"2026-03-10T12:00:00.123Z"`: 1773144000,
	} {
		if got, ok := scan.UnixTime([]byte(text)); !ok || got != want {
			t.Errorf("%s is %d, %t; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "null", "true", `""`, `"yesterday"`, "{}", "[]", "1.5", "1e300", `"2026-03-10"`} {
		if got, ok := scan.UnixTime([]byte(text)); ok {
			t.Errorf("%s is %d", text, got)
		}
	}
}

func TestLocateFindsPresentValues(t *testing.T) {
	t.Parallel()
	const record = ` { "a" : {"b":[1,{"c":"}"},"\"]"], "d\u0065" : true } , "x":"\\\"", "a":2, "long":"` + "0123456789012345678901234567890123456789\\\\\\\"" + `","n":-1.5e3}`
	for path, want := range map[string]string{
		"a": `{"b":[1,{"c":"}"},"\"]"], "d\u0065" : true }`, "a.b": `[1,{"c":"}"},"\"]"]`, "a.de": "true", "x": `"\\\""`, "n": "-1.5e3",
		"a.c": "", "b": "", "a.b.c": "", "x.y": "", "A": "", "n.m": "",
	} {
		if got := string(scan.Field([]byte(record), strings.Split(path, ".")...)); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	for text, want := range map[string]int{"[]": 0, "[ ]": 0, "[1]": 1, `[1, [2,3] ,{"a":[4]},"]"]`: 4, "[null]": 1} {
		if got, ok := scan.CountItems([]byte(text)); !ok || got != want {
			t.Errorf("%s has %d items, want %d", text, got, want)
		}
	}
	if got, ok := scan.CountItems([]byte(`{"of":{"none":{},"two":[{"id":1},2]},"two":[3]}`), "of", "two"); !ok || got != 2 {
		t.Errorf("the list within an object has %d items, want 2", got)
	}
	for _, path := range [][]string{nil, {"of"}, {"of", "none"}, {"of", "none", "two"}} {
		if _, ok := scan.CountItems([]byte(`{"of":{"none":{}}}`), path...); ok {
			t.Errorf("there is no list at %v", path)
		}
	}
}

// FuzzScan compares the envelope's decoder with encoding/json. It must refuse invalid JSON and envelopes without a list, and
// return each record as it was sent.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"type":"list","data":[{"id":"1","updated_at":5},{"id":"2"}],"total_count":2,"pages":{"next":null}}`))
	f.Add([]byte(`{"type":"error.list","errors":[{"code":"x"}]}`))
	f.Add([]byte(`{"data":[ {} , null,{"a":{"}":1} } , 7,"x",[]] , "conversations":1}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"data":[{"updated_at":1773144000,"tags":{"data":[1,2],"total_count":3}}]}x`))
	f.Add([]byte(`{"\u0064ata":[]}`))
	f.Add([]byte(`{"data":[{"tags":{"data":[1],"has_more":true,"url":"/contacts/1/tags"}},{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		l := listOf(taggedStream(), 0)
		g := l.peek()
		e, err := envelope.Parse(body, []string{"data"}, g)
		if err != nil {
			if e != nil {
				t.Error("an error with an envelope")
			}
			return
		}
		if !json.Valid(body) {
			t.Fatalf("no JSON was taken: %q", body)
		}
		var want struct{ Data []json.RawMessage }
		d := json.NewDecoder(bytes.NewReader(body))
		if err := d.Decode(&want); err != nil {
			return // encoding/json ignores the case of names
		}
		if !bytes.Contains(bytes.ToLower(body), []byte("data")) && !bytes.Contains(body, []byte(`\u`)) {
			t.Fatalf("an envelope without its list: %q", body)
		}
		checkRecords(t, body, e, want.Data)
	})
}

// checkRecords compares the records of an envelope with encoding/json's, where that reads the same key.
func checkRecords(t *testing.T, body []byte, e *envelope.Envelope, want []json.RawMessage) {
	var names map[string]json.RawMessage
	if json.Unmarshal(body, &names) != nil {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(names["data"], &list) != nil || len(names["data"]) == 0 {
		t.Fatalf("an envelope without its list: %q", body)
	}
	i := 0
	for _, raw := range list {
		if string(raw) == "null" {
			continue
		}
		if i >= len(e.Records) || !bytes.Equal(raw, e.Records[i]) {
			t.Fatalf("record %d of %q is %q, want %q", i, body, e.Records, raw)
		}
		i++
	}
	if i != len(e.Records) || len(e.Seen) != len(e.Records) {
		t.Fatalf("%d records, %d seen, want %d, of %q", len(e.Records), len(e.Seen), i, body)
	}
}

// FuzzLocate compares the functions that find values with encoding/json.
func FuzzLocate(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,2]},"c":"\"}"}`), "a", "b")
	f.Add([]byte(`{"tags":{"data":[],"x\\":"\\"},"t\u0061gs":1}`), "tags", "data")
	f.Add([]byte(`[]`), "a", "b")
	f.Fuzz(func(t *testing.T, text []byte, one, two string) {
		got := scan.Field(text, one, two) // it must return for any text
		n, isList := scan.CountItems(text)
		if in, isInside := scan.CountItems(text, one, two); got != nil {
			if alone, isAlone := scan.CountItems(got); in != alone || isInside != isAlone {
				t.Errorf("%q has %d items at %q, %q; alone %d", text, in, one, two, alone)
			}
		}
		if !json.Valid(text) {
			return
		}
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err == nil && isList && n != len(list) {
			t.Errorf("%q has %d items, want %d", text, n, len(list))
		}
		want, known := walkDown(text, one, two)
		if known && !bytes.Equal(got, want) {
			t.Errorf("%s.%s of %q is %q, want %q", one, two, text, got, want)
		}
	})
}

// walkDown finds a value the slow way; unknown where encoding/json would mix up names.
func walkDown(text []byte, path ...string) (value []byte, known bool) {
	value = bytes.TrimLeft(text, " \t\r\n")
	for _, name := range path {
		if len(value) == 0 || value[0] != '{' {
			return nil, true
		}
		d := json.NewDecoder(bytes.NewReader(value))
		_, _ = d.Token()
		found := false
		var next json.RawMessage
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, false
			}
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				return nil, false
			}
			if strings.ContainsRune(key.(string), '\uFFFD') {
				return nil, false
			}
			if !found && key.(string) == name {
				found, next = true, raw
			}
		}
		if !found {
			return nil, true
		}
		value = next
	}
	return value, true
}
