package transform

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

const canary = "canary-8f3a"

// canaryRecords are records with the canary where a policy below must find it.
var canaryRecords = []string{
	`{"id":"1","t":"%s"}`,
	`{"id":"1","t":["%s"]}`,
	`{"id":"1","t":{"x":"%s"}}`,
	`{"id":"1","t":"a","t":"%s"}`,
	`{"id":"1","\u0074":"%s"}`,
	`{"id":"1","t":"\"%s"}`,
	`{"t":"%s"}`,
	`{"id":"1","id":"1","t":"%s"}`,
	`{"id":"1","j":{"ssn":"%s","other":1}}`,
	`{"id":"1","j":[{"ssn":"%s"}]}`,
	`{"id":"1","j":{"deep":{"er":{"x":"%s"}}}}`,
	`{"id":"1","j":{"deep.er":"%s"}}`,
	`{"j":{"deep.er":{"x":"%s"}}}`,
	`{"id":"1","j":1,"j":{"ssn":"%s"}}`,
	`{"id":"1","place":{"city":"%s"}}`,
	`{"id":"1","place":{"city":"a"},"place":{"city":"%s"}}`,
	`{"id":"1","place":[{"city":"%s"}]}`,
	`{"id":"1","place":{"post":{"box":"%s"}}}`,
	`{"id":"1","place":{"post":"%s"}}`,
	`{"id":"1","place.post":"%s"}`,
	`{"id":"1","unknown":{"secret":"%s"}}`,
	`{"id":"1","unknown":[1,[{"secret":["%s"]}]]}`,
	`{"id":"1","body":"<b>%s</b>"}`,
	`{"id":"1","tags":{"data":[{"id":"t","name":"%s"}]}}`,
	`{"id":"1","tags":{"data":[{"name":"%s"}]}}`,
	`{"id":"1","tags":{"data":{"name":"%s"}}}`,
	`{"id":"1","tags":{"data":[{"id":"t","name":{"%s":1}}]}}`,
	`{"id":"1","j":` + strings.Repeat("[", 70) + `{"ssn":"%s"}` + strings.Repeat("]", 70) + `}`,
	`{"id":null,"place":{"post":{"zip":{"a":"%s"}}}}`,
}

func TestS38HashAndDropLeaveTheValueNowhere(t *testing.T) {
	t.Parallel()
	names := []string{"t", "j.ssn", "j.deep.er", "city", "place.post", "_extra.unknown.secret", "body", "thing_tags.name"}
	key := []byte("a key")
	for _, o := range []Options{{Hash: names, HashKey: key}, {Drop: names}} {
		for _, format := range canaryRecords {
			record := fmt.Sprintf(format, canary)
			b := newTestDecoder(t, thingStream(), o)
			b.appendAll(record)
			for _, batch := range b.Take() {
				if at := inBuffers(batch.Rows); at != "" {
					t.Errorf("%+v: %s: in %s", o, record, at)
				}
				batch.Rows.Release()
			}
			for _, r := range b.Rejects() {
				if strings.Contains(fmt.Sprintf("%s %s %s %s", r.Column, r.Key, r.Reason, r.Raw), canary) {
					t.Errorf("%+v: %s: in reject %+v, %s", o, record, r, r.Raw)
				}
			}
			if err := b.Append([]byte(record+"}"), Meta{}); err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("%v", err)
			}
		}
	}
}

// inBuffers names the column whose memory holds the canary, beyond its end too.
func inBuffers(rows arrow.RecordBatch) string {
	for i, column := range rows.Columns() {
		for _, buffer := range column.Data().Buffers() {
			if b := buffer.Buf(); bytes.Contains(b[:cap(b)], []byte(canary)) {
				return rows.ColumnName(i)
			}
		}
	}
	return ""
}

func TestHashIsKeyedAndStable(t *testing.T) {
	t.Parallel()
	hashed := func(key, record string) any {
		return newTestDecoder(t, thingStream(), Options{Hash: []string{"t", "j.a"}, HashKey: []byte(key)}).appendAll(record).onlyRow()["t"]
	}
	one := hashed("k", `{"id":"1","t":"12"}`)
	if s, ok := one.(string); !ok || len(s) != 32 {
		t.Fatalf("got %v", one)
	}
	if got := hashed("k", `{"id":"2","t":12}`); got != one {
		t.Errorf("12 and \"12\" differ: %v, %v", got, one)
	}
	if got := hashed("other", `{"id":"1","t":"12"}`); got == one {
		t.Error("the key makes no difference")
	}
	if got := hashed("k", `{"id":"1","t":null}`); got != nil {
		t.Errorf("null became %v", got)
	}
	row := newTestDecoder(t, thingStream(), Options{Hash: []string{"j.a"}, HashKey: []byte("k")}).appendAll(`{"id":"1","j":{"b": 1.0, "a": "12", "c": [ ]}}`).onlyRow()
	if got, want := row["j"], fmt.Sprintf(`{"b":1.0,"a":"%s","c":[]}`, one); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPoliciesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no key to hash with", Options{Hash: []string{"t"}}, "hash t: no key to hash with"},
		{"unknown column", Options{Drop: []string{"emial"}}, `drop emial: stream things has no column or field "emial"; if the API sends such a field, write _extra.emial`},
		{"the key", Options{Drop: []string{"id"}}, "drop id: the column is part of the key"},
		{"what decides between copies", Options{Drop: []string{"at"}}, "drop at: the column is needed"},
		{"a number", Options{Hash: []string{"i"}, HashKey: []byte("k")}, "hash i: the column holds int; hash produces text; use drop instead"},
		{"a child's key", Options{Drop: []string{"tags.data"}}, "drop thing_tags.tag_id: the column is needed"},
		{"no field of the record", Options{Drop: []string{"thing_parts.position"}}, "drop thing_parts.position: the column is not filled from a field of the record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := NewDecoder(thingStream(), tt.o)
			if want := "stream things: " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}
