// Package scalar parses numbers, booleans and times from an API's texts, without rounding.
package scalar
