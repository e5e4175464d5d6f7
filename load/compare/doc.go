// Package compare compares records that were read again with a published file.
package compare
