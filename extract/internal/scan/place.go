package scan

import (
	"bytes"
	"encoding/json"
)

// The functions of this file find values in records without decoding them. The text must be valid JSON. Every record was checked when
// its page was scanned, so these functions follow brackets and quotes only, which is faster.

// Locate finds the value at a path of object keys: text[from:to]. Of a repeated key the first counts.
func Locate(text []byte, path ...string) (from, to int, found bool) {
	if from, found = findStart(text, path); !found {
		return 0, 0, false
	}
	return from, skipValue(text, from), true
}

// findStart finds where the value at a path of object keys begins.
func findStart(text []byte, path []string) (i int, found bool) {
	i = skipSpace(text, 0)
	for _, name := range path {
		if i, found = findMember(text, i, name); !found {
			return 0, false
		}
	}
	return i, true
}

// Field is the value at a path, nil when there is none.
func Field(text []byte, path ...string) []byte {
	from, to, found := Locate(text, path...)
	if !found {
		return nil
	}
	return text[from:to]
}

// findMember finds where the value of a key begins, in the object that begins at i.
func findMember(text []byte, i int, name string) (int, bool) {
	if i >= len(text) || text[i] != '{' {
		return 0, false
	}
	for i = skipSpace(text, i+1); i < len(text) && text[i] == '"'; i = skipSpace(text, i+1) {
		end := skipString(text, i)
		key := text[i:end]
		i = skipSpace(text, end) // at the colon
		i = skipSpace(text, min(i+1, len(text)))
		if i < len(text) && keyIs(key, name) {
			return i, true
		}
		i = skipSpace(text, skipValue(text, i)) // at the comma, or the object's end
		if i >= len(text) || text[i] != ',' {
			break
		}
	}
	return 0, false
}

// Fields finds the values of several keys of an object in one walk. Values of absent keys stay nil.
func Fields(text []byte, names []string, values [][]byte) {
	missing := len(names)
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '{' {
		return
	}
	for i = skipSpace(text, i+1); missing > 0 && i < len(text) && text[i] == '"'; i = skipSpace(text, i+1) {
		end := skipString(text, i)
		key := text[i:end]
		i = skipSpace(text, end) // at the colon
		i = skipSpace(text, min(i+1, len(text)))
		end = skipValue(text, i)
		for at, name := range names {
			if values[at] == nil && keyIs(key, name) {
				values[at] = text[i:end]
				missing--
			}
		}
		if i = skipSpace(text, end); i >= len(text) || text[i] != ',' {
			return
		}
	}
}

// keyIs reports whether a key, in its quotes, is name.
func keyIs(key []byte, name string) bool {
	if len(key) < 2 {
		return false
	}
	if inner := key[1 : len(key)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	var plain string
	return json.Unmarshal(key, &plain) == nil && plain == name
}

// CountItems counts the elements of the list at a path of object keys, in one walk; false when there is none.
func CountItems(text []byte, path ...string) (n int, ok bool) {
	i, found := findStart(text, path)
	if !found || i >= len(text) || text[i] != '[' {
		return 0, false
	}
	i = skipSpace(text, i+1)
	for i < len(text) && text[i] != ']' {
		n++
		i = skipSpace(text, skipValue(text, i))
		if i < len(text) && text[i] == ',' {
			i = skipSpace(text, i+1)
		}
	}
	return n, true
}

// skipValue is the end of the value that begins at i: at most len(text), and always after i before that.
func skipValue(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{', '[':
		return skipNested(text, i)
	}
	for i++; i < len(text); i++ {
		switch text[i] {
		case ',', ']', '}', ':', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return i
}

// skipNested is the end of the object or list that begins at i.
func skipNested(text []byte, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = skipString(text, i)
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

// skipString is the end of the string that begins at i: after its first unescaped quote.
func skipString(text []byte, i int) int {
	const short = 24 // most strings are shorter, and a loop is then faster than IndexByte
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

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}
