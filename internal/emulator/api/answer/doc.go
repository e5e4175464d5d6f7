// Package answer holds an answer before it is sent: status, body, headers.
package answer
