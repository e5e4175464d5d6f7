// Package scalar reads numbers, truth values and times from the texts that an API sends them as, without rounding.
package scalar
