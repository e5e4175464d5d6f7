package jsontext

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Quote is a text as a JSON string.
func Quote(s string) string { return string(AppendString(nil, s)) }

const hexDigits = "0123456789abcdef"

// AppendString writes a JSON string. Only what must be escaped is: answers hold text as people wrote it.
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

// AppendText writes a text, or null for none.
func AppendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return AppendString(b, s)
}

// AppendTime writes a time or another integer, or null for none.
func AppendTime(b []byte, t int64) []byte {
	if t == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, t, 10)
}

// AppendBool writes true or false.
func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// ParseObject reads an object by its names as they are written: what has another case is another name. Null is refused.
func ParseObject(raw []byte) (fields map[string]json.RawMessage, err error) {
	err = json.Unmarshal(raw, &fields)
	if err == nil && fields == nil {
		err = errors.New("null")
	}
	return fields, err
}
