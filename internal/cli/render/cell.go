package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode"
)

// jsonValue converts a value to one that JSON can represent.
func jsonValue(v any) any {
	switch v := v.(type) {
	case json.RawMessage, json.Number:
		return v
	case []byte:
		return string(v)
	case float32:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case *big.Int:
		return json.Number(v.String())
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case fmt.Stringer:
		return v.String()
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = jsonValue(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, item := range v {
			object[name] = jsonValue(item)
		}
		return object
	}
	return v
}

// formatCell formats a value for a table or a CSV file; null is empty.
func formatCell(v any) string {
	switch v.(type) {
	case float32, float64:
		return fmt.Sprint(v) // also NaN and Inf, which JSON lacks
	}
	switch v := jsonValue(v).(type) {
	case nil:
		return ""
	case string:
		return v
	case json.RawMessage:
		return string(v)
	case []any, map[string]any:
		text, err := unescapedJSON(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(text)
	default:
		return fmt.Sprint(v)
	}
}

// escapeControls escapes characters that would control a terminal or reverse its text: a customer chooses his name himself.
func escapeControls(text string) string {
	strange := func(r rune) bool { return !unicode.IsGraphic(r) && !strings.ContainsRune("\n\t\u200c\u200d", r) }
	if !strings.ContainsFunc(text, strange) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strange(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// TimeCell returns a time for a row; nil for an unknown one.
func TimeCell(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// unescapedJSON returns JSON that does not escape <, > and &: it is not for HTML pages.
func unescapedJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
