package extract

import (
	"bytes"
	"encoding/json"
	"time"
)

// The functions of this file look into records without decoding them. Their text must be valid JSON: every record was
// checked when its page was scanned, so that structure alone is followed here, many bytes at a time.

// place finds the value at a path of object keys, text[from:to]. Of a key that is there twice the first counts.
func place(text []byte, path ...string) (from, to int, found bool) {
	i := space(text, 0)
	for _, name := range path {
		if i, found = member(text, i, name); !found {
			return 0, 0, false
		}
	}
	return i, skip(text, i), true
}

// field is the value at a path, nil when there is none.
func field(text []byte, path ...string) []byte {
	from, to, found := place(text, path...)
	if !found {
		return nil
	}
	return text[from:to]
}

// member finds where the value of a key begins, in the object that begins at i.
func member(text []byte, i int, name string) (int, bool) {
	if i >= len(text) || text[i] != '{' {
		return 0, false
	}
	for i = space(text, i+1); i < len(text) && text[i] == '"'; i = space(text, i+1) {
		end := quoted(text, i)
		key := text[i:end]
		i = space(text, end) // at the colon
		i = space(text, min(i+1, len(text)))
		if i < len(text) && named(key, name) {
			return i, true
		}
		i = space(text, skip(text, i)) // at the comma, or the object's end
		if i >= len(text) || text[i] != ',' {
			break
		}
	}
	return 0, false
}

// fields finds the values of several keys of an object in one walk, as far as they are there.
func fields(text []byte, names []string, values [][]byte) {
	missing := len(names)
	i := space(text, 0)
	if i >= len(text) || text[i] != '{' {
		return
	}
	for i = space(text, i+1); missing > 0 && i < len(text) && text[i] == '"'; i = space(text, i+1) {
		end := quoted(text, i)
		key := text[i:end]
		i = space(text, end) // at the colon
		i = space(text, min(i+1, len(text)))
		end = skip(text, i)
		for at, name := range names {
			if values[at] == nil && named(key, name) {
				values[at] = text[i:end]
				missing--
			}
		}
		if i = space(text, end); i >= len(text) || text[i] != ',' {
			return
		}
	}
}

// named reports whether a key, in its quotes, is name.
func named(key []byte, name string) bool {
	if len(key) < 2 {
		return false
	}
	if inner := key[1 : len(key)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	var plain string
	return json.Unmarshal(key, &plain) == nil && plain == name
}

// items counts the elements of the list that begins at i; false when there is no list.
func items(text []byte) (n int, ok bool) {
	if len(text) == 0 || text[0] != '[' {
		return 0, false
	}
	i := space(text, 1)
	for i < len(text) && text[i] != ']' {
		n++
		i = space(text, skip(text, i))
		if i < len(text) && text[i] == ',' {
			i = space(text, i+1)
		}
	}
	return n, true
}

// skip is the end of the value that begins at i, at most len(text), and beyond i where there is anything.
func skip(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return quoted(text, i)
	case '{', '[':
		return nested(text, i)
	}
	for i++; i < len(text); i++ {
		switch text[i] {
		case ',', ']', '}', ':', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return i
}

// nested is the end of the object or list that begins at i.
func nested(text []byte, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = quoted(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			return i
		}
	}
	return len(text)
}

// quoted is the end of the string that begins at i: its first quote that no backslash escapes.
func quoted(text []byte, i int) int {
	const short = 24 // most strings end within it, before a call of IndexByte would have paid
	i++
	for end := min(i+short, len(text)); i < end; i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	for i < len(text) {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return len(text)
		}
		at := i + n
		slashes := 0
		for j := at - 1; j >= i && text[j] == '\\'; j-- {
			slashes++
		}
		i = at + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return len(text)
}

func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// Times of workspaces: from 1990 to before 2100, in seconds.
const earliest, latest = 631_152_000, 4_102_444_800

// instant reads a time, in seconds: a number of them, or of milliseconds, or ISO 8601 text.
func instant(raw []byte) (int64, bool) {
	if n, ok := number(raw); ok {
		if n >= 1000*earliest && n < 1000*latest { // milliseconds: as seconds no workspace has such times
			n /= 1000
		}
		return n, true
	}
	s, ok := text(raw)
	if !ok {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339, s)
	return t.Unix(), err == nil
}
