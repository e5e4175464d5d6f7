// Package render writes contacts, conversations, tickets and the small lists as the JSON of the API.
package render
