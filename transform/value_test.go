package transform

import (
	"slices"
	"testing"
	"time"

	"aqueduck/transform/internal/scalar"
)

func TestT124T125IntegersAreExact(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		want   int64
		reason string
	}{
		{"0", 0, ""}, {"-0", 0, ""}, {"0.0", 0, ""}, {"0e99999999999", 0, ""}, {"-7", -7, ""},
		{"1.0", 1, ""}, {"1e3", 1000, ""}, {"1E+3", 1000, ""}, {"1200e-2", 12, ""}, {"12.50e1", 125, ""}, {"0.001e3", 1, ""},
		{"9007199254740991", 1<<53 - 1, ""}, {"9007199254740992", 1 << 53, ""}, {"9007199254740993", 1<<53 + 1, ""},
		{"200963802864963123", 200963802864963123, ""}, {"999999999999999999", 999999999999999999, ""},
		{"9223372036854775807", 1<<63 - 1, ""}, {"-9223372036854775808", -1 << 63, ""}, {"9.223372036854775807e18", 1<<63 - 1, ""},
		{"9223372036854775808", 0, ReasonRange}, {"-9223372036854775809", 0, ReasonRange}, {"18446744073709551616", 0, ReasonRange},
		{"1e19", 0, ReasonRange}, {"1e999999999999999999999", 0, ReasonRange}, {"1e-999999999999999999999", 0, ReasonType},
		{"1.5", 0, ReasonType}, {"", 0, ReasonType}, {"-", 0, ReasonType}, {"+1", 0, ReasonType}, {"01", 0, ReasonType}, {"1.", 0, ReasonType},
		{".5", 0, ReasonType}, {"1e", 0, ReasonType}, {"1e+", 0, ReasonType}, {" 1", 0, ReasonType}, {"0x10", 0, ReasonType}, {"1_000", 0, ReasonType},
		{"NaN", 0, ReasonType}, {"1e3x", 0, ReasonType},
	}
	for _, tt := range tests {
		if got, reason := scalar.ParseInt([]byte(tt.name)); got != tt.want || reason != tt.reason {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, got, reason, tt.want, tt.reason)
		}
	}
}

func TestT53Timestamps(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want, reason string }{
		{"1700000000", "2023-11-14T22:13:20Z", ""},
		{"1700000000.0", "2023-11-14T22:13:20Z", ""},
		{"1.7e9", "2023-11-14T22:13:20Z", ""},
		{"631152000", "1990-01-01T00:00:00Z", ""},
		{"4102444799", "2099-12-31T23:59:59Z", ""},
		{"2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z", ""},
		{"2023-11-14T22:13:20.1234567Z", "2023-11-14T22:13:20.123456Z", ""},
		{"2023-11-14T22:13:20+05:30", "2023-11-14T16:43:20Z", ""},
		{"2023-11-14T22:13:20-0800", "2023-11-15T06:13:20Z", ""},
		{"2023-11-14 22:13:20 UTC", "2023-11-14T22:13:20Z", ""},
		{"2023-11-14 22:13:20.5+01", "2023-11-14T21:13:20.5Z", ""},
		{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z", ""},
		{"0", "", ReasonRange}, {"-1", "", ReasonRange}, {"631151999", "", ReasonRange}, {"4102444800", "", ReasonRange},
		{"1700000000000", "2023-11-14T22:13:20Z", ""}, {"1700000000123", "2023-11-14T22:13:20.123Z", ""},
		{"631152000000", "1990-01-01T00:00:00Z", ""}, {"4102444799999", "2099-12-31T23:59:59.999Z", ""}, {"1.7e12", "2023-11-14T22:13:20Z", ""},
		{"631151999999", "", ReasonRange}, {"4102444800000", "", ReasonRange}, {"1516239022000000", "", ReasonRange}, {"99999999999999999999", "", ReasonRange},
		{"1700000000.5", "", ReasonType}, {"", "", ReasonType}, {"yesterday", "", ReasonType}, {"2023-11-14", "", ReasonType},
		{"2023-11-14T22:13:20", "", ReasonType}, {"2023-11-14T22:13Z", "", ReasonType}, {"2023-11-14T22:13:20.Z", "", ReasonType},
		{"2023-02-29T00:00:00Z", "", ReasonType}, {"2023-13-01T00:00:00Z", "", ReasonType}, {"2023-11-14T24:00:00Z", "", ReasonType},
		{"2023-11-14T22:13:20+1", "", ReasonType}, {"2023-11-14T22:13:20+25:00", "", ReasonType}, {"50000-01-01T00:00:00Z", "", ReasonType},
		{"1970-01-01T00:00:00Z", "", ReasonRange}, {"2999-01-01T00:00:00Z", "", ReasonRange},
	}
	for _, tt := range tests {
		micros, reason := scalar.ParseTimestamp([]byte(tt.name))
		got := ""
		if reason == "" {
			got = time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
		}
		if got != tt.want || reason != tt.reason {
			t.Errorf("%s: got %s %q, want %s %q", tt.name, got, reason, tt.want, tt.reason)
		}
	}
}

func TestT159ColumnsWhoseTimesComeInMillisecondsAreNamed(t *testing.T) {
	t.Parallel()
	b := decoder(t, things(), Options{}).add(
		`{"id":"1","at":1700000000,"tags":{"data":[{"id":"1","set_at":1700000000000}]}}`, `{"id":"2","at":"2023-11-14T22:13:20Z"}`)
	if got := b.MillisecondColumns(); !slices.Equal(got, []string{"thing_tags.set_at"}) {
		t.Errorf("got %v", got)
	}
	b.add(`{"id":"3","at":1700000000123}`)
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
			b := decoder(t, things(), Options{}).add(`{"id":"1","t":` + tt.value + `,"j":` + tt.value + `,"x":` + tt.value + `}`)
			row := b.row()
			if row["t"] != tt.text || row["j"] != tt.json || row["_extra"] != `{"x":`+tt.json+`}` {
				t.Errorf("got %q, %q, %q", row["t"], row["j"], row["_extra"])
			}
			if got := b.complaints(); len(got) != 1 || got[0] != "things  utf8 1" {
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
			b := decoder(t, things(), Options{}).add(`{"id":"1","t":` + tt.value + `,"j": [ ` + tt.value + ` , {"a" : ` + tt.value + `} ]}`)
			row := b.row()
			if row["t"] != tt.text || row["j"] != `[`+tt.json+`,{"a":`+tt.json+`}]` {
				t.Errorf("got %q, %q", row["t"], row["j"])
			}
			if got := b.complaints(); len(got) != 0 {
				t.Errorf("rejects %v", got)
			}
		})
	}
}

func TestT49NastyAttributeNamesAreData(t *testing.T) {
	t.Parallel()
	names := `{"Plan":1,"plan":2,"PLAN ":3,"":4,"a\"b":5,"a.b":6,"😀":7,"__proto__":8,"'; DROP TABLE x; --":9}`
	if got := decoder(t, things(), Options{}).add(`{"id":"1","j":` + names + `}`).row()["j"]; got != names {
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
