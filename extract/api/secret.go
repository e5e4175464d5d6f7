package api

import (
	"fmt"
	"io"
	"log/slog"

	"aqueduck/internal/personal"
)

// Secret is a text that must never appear in output: printing, encoding or logging it gives [redacted]. Only the conversion
// string(s) reveals it, and only the client converts. It must not be a map key: encoding/json writes keys of a string kind as
// they are.
type Secret string

const redacted = personal.Removed

// String gives [redacted].
func (s Secret) String() string { return redacted }

// GoString gives [redacted].
func (s Secret) GoString() string { return redacted }

// Format gives [redacted] for every verb: without it %x, %d and %q would still reach the bytes.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText gives [redacted]: encoders of text, XML, YAML and map keys use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON gives "[redacted]".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// LogValue gives [redacted].
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
