package jsontext

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Quote returns a text as a JSON string.
func Quote(s string) string { return string(AppendString(nil, s)) }

const hexDigits = "0123456789abcdef"

// AppendString writes a JSON string. It escapes only what JSON requires.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}

// AppendText writes a text; an empty one is null.
func AppendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return AppendString(b, s)
}

// AppendTime writes a time or another integer; zero is null.
func AppendTime(b []byte, t int64) []byte {
	if t == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, t, 10)
}

// AppendBool writes true or false.
func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// ParseObject parses an object by its exact names: a name in another case is another name. It refuses null.
func ParseObject(raw []byte) (fields map[string]json.RawMessage, err error) {
	err = json.Unmarshal(raw, &fields)
	if err == nil && fields == nil {
		err = errors.New("null")
	}
	return fields, err
}
