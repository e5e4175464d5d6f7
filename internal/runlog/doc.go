// Package runlog knows what runs did: those that ended, the one under way, and how fresh each stream is.
package runlog
