// Package scan looks into JSON as it was sent, without decoding it.
package scan
