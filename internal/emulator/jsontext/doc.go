// Package jsontext writes JSON as the emulated service does: text as people wrote it, fields in an order, null for nothing.
package jsontext
