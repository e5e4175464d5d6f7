// Package search finds versions of records as the emulated service does: by a query, in an order, page by page, with the lag of its index.
package search
