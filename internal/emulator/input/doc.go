// Package input reads the JSON objects of writing requests field by field, and reports the first invalid field.
package input
