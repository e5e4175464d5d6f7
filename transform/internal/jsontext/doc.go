// Package jsontext makes JSON texts, and the strings in them, compact and valid as bytes, without taking them apart.
package jsontext
