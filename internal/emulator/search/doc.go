// Package search finds versions of records as the emulated service does: by a query, in an order, page by page, as far as its index has
// caught up.
package search
