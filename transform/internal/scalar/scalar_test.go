package scalar

import (
	"testing"
	"time"
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
		if got, reason := ParseInt([]byte(tt.name)); got != tt.want || reason != tt.reason {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, got, reason, tt.want, tt.reason)
		}
	}
}

// Holds: T159.
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
		{"631151999999", "", ReasonRange}, {"4102444800000", "", ReasonRange},
		{"1700000000123456", "2023-11-14T22:13:20.123456Z", ""}, {"631152000000000", "1990-01-01T00:00:00Z", ""}, {"4102444799999999", "2099-12-31T23:59:59.999999Z", ""},
		{"631151999999999", "", ReasonRange}, {"4102444800000000", "", ReasonRange}, {"1700000000000000000", "", ReasonRange}, {"99999999999999999999", "", ReasonRange},
		{"1700000000.5", "", ReasonType}, {"", "", ReasonType}, {"yesterday", "", ReasonType}, {"2023-11-14", "", ReasonType},
		{"2023-11-14T22:13:20", "", ReasonType}, {"2023-11-14T22:13Z", "", ReasonType}, {"2023-11-14T22:13:20.Z", "", ReasonType},
		{"2023-02-29T00:00:00Z", "", ReasonType}, {"2023-13-01T00:00:00Z", "", ReasonType}, {"2023-11-14T24:00:00Z", "", ReasonType},
		{"2023-11-14T22:13:20+1", "", ReasonType}, {"2023-11-14T22:13:20+25:00", "", ReasonType}, {"50000-01-01T00:00:00Z", "", ReasonType},
		{"1970-01-01T00:00:00Z", "", ReasonRange}, {"2999-01-01T00:00:00Z", "", ReasonRange},
	}
	for _, tt := range tests {
		micros, reason := ParseTimestamp([]byte(tt.name))
		got := ""
		if reason == "" {
			got = time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
		}
		if got != tt.want || reason != tt.reason {
			t.Errorf("%s: got %s %q, want %s %q", tt.name, got, reason, tt.want, tt.reason)
		}
	}
}
