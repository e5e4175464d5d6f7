package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// RawJSON returns a value as JSON text, "" for nil.
func RawJSON(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return string(jsontext.AppendString(nil, v)), nil
	case event.Number:
		return string(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", fmt.Errorf("no value of type %T", value)
}

// NumberText returns a number as text; zero is "".
func NumberText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// NumberTexts returns the ids of numbers as texts.
func NumberTexts(numbers []int32, id func(int32) int64) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = strconv.FormatInt(id(n), 10)
	}
	return list
}

// NumberOrValue returns a value in the form that changes have: a number becomes a whole one where possible.
func NumberOrValue(v any) any {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return v
	}
	if whole, err := n.Int64(); err == nil {
		return whole
	}
	return event.Number(n)
}

// SetInt32 sets a number that must be at least 0 and below a limit.
func SetInt32(into *int32, n, limit int) error {
	if n < 0 || n >= limit {
		return errors.New("number " + strconv.Itoa(n) + " is not below " + strconv.Itoa(limit))
	}
	*into = int32(n)
	return nil
}

// PlainChanges returns a copy of changes with all integers as int64, as in the log.
func PlainChanges(set []event.FieldChange) []event.FieldChange {
	out := make([]event.FieldChange, len(set))
	for i, c := range set {
		if n, ok := c.Value.(int); ok {
			c.Value = int64(n)
		}
		out[i] = c
	}
	return out
}
