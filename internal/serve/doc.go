// Package serve decides when a pipeline runs again, and which times of a schedule it makes up for.
package serve
