// Package read answers statements that only read from a published file, in this process or in a separate one.
package read
