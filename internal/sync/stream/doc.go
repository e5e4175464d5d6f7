// Package stream reads one stream of one workspace: pages in, batches committed with the checkpoint that they make true.
package stream
