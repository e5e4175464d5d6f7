package usage

import "testing"

func TestS51MemoryIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		bytes   int64
		written string
	}{
		"512MB":  {512_000_000, "500000KiB"},
		"2GB":    {2_000_000_000, "1953125KiB"},
		"2GiB":   {2 << 30, "2GiB"},
		" 1tib ": {1 << 40, "1TiB"},
		"256MiB": {256 << 20, "256MiB"},
	} {
		var m Memory
		if err := m.Set(text); err != nil || int64(m) != want.bytes || m.String() != want.written {
			t.Errorf("%q: %d, written %s, %v", text, int64(m), m.String(), err)
		}
	}
	for text, want := range map[string]string{
		"":              `"" is not an amount of memory, e.g. 4GB`,
		"4":             `"4" is not an amount of memory, e.g. 4GB`,
		"-4GB":          `"-4GB" is not an amount of memory, e.g. 4GB`,
		"1.5GB":         `"1.5GB" is not an amount of memory, e.g. 4GB`,
		"255MiB":        "255MiB is below the minimum of a statement: 256MiB",
		"999999999TiB":  "999999999TiB is more memory than any machine has",
		"9999999999TiB": `"9999999999TiB" is not an amount of memory, e.g. 4GB`,
	} {
		var m Memory
		if err := m.Set(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
