package config

import (
	"fmt"
	"slices"
)

// OlderVersion reports whether version a is older than b. "" is older than nothing, and versions that are words are not compared.
func OlderVersion(a, b string) bool {
	number := func(text string) (n [2]int, ok bool) {
		_, err := fmt.Sscanf(text, "%d.%d", &n[0], &n[1])
		return n, err == nil
	}
	x, ok := number(a)
	y, ok2 := number(b)
	return ok && ok2 && slices.Compare(x[:], y[:]) < 0
}
