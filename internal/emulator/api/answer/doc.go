// Package answer is the reply to a request before it goes out: a status, a body, headers.
package answer
