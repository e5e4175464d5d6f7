// Package answer is what a request is answered before it goes out: a status, a body, headers.
package answer
