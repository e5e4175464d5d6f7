// Package jsontext writes JSON as the emulated service does: no needless escapes, fields in a fixed order, null for empty values.
package jsontext
