// Package jsontext makes JSON texts, and the strings in them, compact and valid without decoding them.
package jsontext
