package transform

import (
	"slices"
	"testing"
)

func TestT159ColumnsWhoseTimesComeInMillisecondsAreNamed(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{}).appendAll(
		`{"id":"1","at":1700000000,"tags":{"data":[{"id":"1","set_at":1700000000000}]}}`, `{"id":"2","at":"2023-11-14T22:13:20Z"}`)
	if got := b.MillisecondColumns(); !slices.Equal(got, []string{"thing_tags.set_at"}) {
		t.Errorf("got %v", got)
	}
	b.appendAll(`{"id":"3","at":1700000000123}`)
	if got := b.MillisecondColumns(); !slices.Equal(got, []string{"things.at", "thing_tags.set_at"}) {
		t.Errorf("got %v", got)
	}
}

func TestT126InvalidTextIsMendedOnceAndCounted(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, text, json string }{
		{"bad byte", "\"a\xffb\"", "a\uFFFDb", "\"a\uFFFDb\""},
		{"cut character", "\"a\xe2\x82\"", "a\uFFFD\uFFFD", "\"a\uFFFD\uFFFD\""},
		{"encoded surrogate", "\"\xed\xa0\x80\"", "\uFFFD\uFFFD\uFFFD", "\"\uFFFD\uFFFD\uFFFD\""},
		{"lone high", `"\ud83dx"`, "\uFFFDx", `"\ufffdx"`},
		{"lone low", `"\uDE00"`, "\uFFFD", `"\ufffd"`},
		{"high before an escape", `"\ud83d\n"`, "\uFFFD\n", `"\ufffd\n"`},
		{"high before a pair", `"\ud83d\ud83d\ude00"`, "\uFFFD😀", `"\ufffd\ud83d\ude00"`},
		{"high before another", `"\ud83d\u0041"`, "\uFFFDA", `"\ufffd\u0041"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id":"1","t":` + tt.value + `,"j":` + tt.value + `,"x":` + tt.value + `}`)
			row := b.onlyRow()
			if row["t"] != tt.text || row["j"] != tt.json || row["_extra"] != `{"x":`+tt.json+`}` {
				t.Errorf("got %q, %q, %q", row["t"], row["j"], row["_extra"])
			}
			if got := b.rejectLines(); len(got) != 1 || got[0] != "things  utf8 1" {
				t.Errorf("rejects %v", got)
			}
		})
	}
}

func TestTextsAreKept(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, text, json string }{
		{"pair", `"\ud83d\ude00"`, "😀", `"\ud83d\ude00"`},
		{"every escape", `"\"\\\/\b\f\n\r\t\u00e9\u00E9"`, "\"\\/\b\f\n\r\téé", `"\"\\\/\b\f\n\r\t\u00e9\u00E9"`},
		{"T127 NUL", `"a\u0000b"`, "a\x00b", `"a\u0000b"`},
		{"entities", `"&lt;b&gt;"`, "&lt;b&gt;", `"&lt;b&gt;"`},
		{"brackets and spaces", `" [ { \" , : "`, ` [ { " , : `, `" [ { \" , : "`},
		{"number beyond floats", `123456789012345678901234567890.10`, `123456789012345678901234567890.10`, `123456789012345678901234567890.10`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id":"1","t":` + tt.value + `,"j": [ ` + tt.value + ` , {"a" : ` + tt.value + `} ]}`)
			row := b.onlyRow()
			if row["t"] != tt.text || row["j"] != `[`+tt.json+`,{"a":`+tt.json+`}]` {
				t.Errorf("got %q, %q", row["t"], row["j"])
			}
			if got := b.rejectLines(); len(got) != 0 {
				t.Errorf("rejects %v", got)
			}
		})
	}
}

// Holds: S23.
func TestT49NastyAttributeNamesAreData(t *testing.T) {
	t.Parallel()
	names := `{"Plan":1,"plan":2,"PLAN ":3,"":4,"a\"b":5,"a.b":6,"😀":7,"__proto__":8,"'; DROP TABLE x; --":9}`
	if got := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id":"1","j":` + names + `}`).onlyRow()["j"]; got != names {
		t.Errorf("got %v", got)
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"no markup", "a  b\nc", "a  b\nc"},
		{"paragraphs", "<p>Hello <b>you</b>,</p>\n<p>how are&nbsp;you?</p>", "Hello you,\nhow are\u00a0you?"},
		{"line breaks", "one<br>two<br/>three", "one\ntwo\nthree"},
		{"list", "<ul><li>one</li><li>two</li></ul>", "one\ntwo"},
		{"hidden", "a<script>alert('x')</script><style>p{}</style>b<!-- c -->", "ab"},
		{"entities", "1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"},
		{"broken", "<p>a<b", "a"},
		{"spaces", "<p> a \n\t b </p> <p></p>", "a b"},
		{"not markup", "1 < 2", "1 < 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(appendPlainText([]byte("before\n"), []byte(tt.body))); got != "before\n"+tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
