// Package input reads the JSON objects that writing requests send, field by field, and says what is wrong with the first that is.
package input
