// Package render writes what is sent of contacts, conversations, tickets and the small lists, as JSON in the words of the API.
package render
