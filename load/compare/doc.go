// Package compare holds records that were read again against a published file.
package compare
