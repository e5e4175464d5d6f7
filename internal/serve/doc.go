// Package serve decides about retries and catch-up runs of the command serve, and records skipped runs.
package serve
