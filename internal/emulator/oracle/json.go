package oracle

import (
	"fmt"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// escapes escapes a text for JSON as the service does: only what JSON requires.
var escapes = func() *strings.Replacer {
	pairs := []string{`"`, `\"`, `\`, `\\`, "\n", `\n`, "\t", `\t`}
	for c := range 0x20 {
		if c != '\n' && c != '\t' {
			pairs = append(pairs, string(rune(c)), fmt.Sprintf(`\u%04x`, c))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// jsonText returns a text in JSON.
func jsonText(s string) string { return `"` + escapes.Replace(s) + `"` }

// textOrNull returns a text in JSON, null when it is empty.
func textOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return jsonText(s)
}

func jsonNumber(n int64) string { return strconv.FormatInt(n, 10) }

// numberOrNull returns a number in JSON, null when it is 0.
func numberOrNull(n int64) string {
	if n == 0 {
		return "null"
	}
	return jsonNumber(n)
}

// jsonObject returns a JSON object of alternating names and values.
func jsonObject(fields ...string) string {
	list := make([]string, 0, len(fields)/2)
	for i := 0; i+1 < len(fields); i += 2 {
		list = append(list, jsonText(fields[i])+":"+fields[i+1])
	}
	return "{" + strings.Join(list, ",") + "}"
}

func jsonArray(items []string) string { return "[" + strings.Join(items, ",") + "]" }

// jsonAttributes returns custom attributes as a JSON object.
func jsonAttributes(list []event.Attribute) string {
	var fields []string
	for _, a := range list {
		fields = append(fields, a.Name, a.Raw)
	}
	return jsonObject(fields...)
}

// valueText returns the value of a change in JSON; "" removes the field.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return jsonText(v)
	}
	return fmt.Sprint(v) // a number or a boolean
}

// setAttribute returns custom attributes with one of them set, or removed when raw is "". An existing attribute keeps its position.
func setAttribute(list []event.Attribute, name, raw string) []event.Attribute {
	next, there := []event.Attribute{}, false
	for _, a := range list {
		if a.Name == name {
			there = true
			a.Raw = raw
		}
		if a.Raw != "" {
			next = append(next, a)
		}
	}
	if !there && raw != "" {
		next = append(next, event.Attribute{Name: name, Raw: raw})
	}
	return next
}

// orNull returns nil for an empty text and for zero.
func orNull(v any) any {
	if v == "" || v == int64(0) {
		return nil
	}
	return v
}

// idText returns a number as the text of an id.
func idText(n int64) string { return strconv.FormatInt(n, 10) }

// parseID returns the number of an id.
func parseID(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64) // ids of the log are numbers
	return n
}
