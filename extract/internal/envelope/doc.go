// Package envelope finds the records in one answer of a list, without decoding them, and what the answer says about its page.
package envelope
