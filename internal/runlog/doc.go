// Package runlog records what runs did, and reads it: past runs, the run under way, freshness, and when a failed run is tried again.
package runlog
