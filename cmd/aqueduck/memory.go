package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"aqueduck/load"
)

// amount is one of memory, as people write it.
type amount int64

var (
	amountForm = regexp.MustCompile(`^([0-9]{1,9})(?i:([kmgt])(i?)b)$`)
	units      = map[string]int64{"k": 1, "m": 2, "g": 3, "t": 4}
)

// Set reads 512MB, 2GB or 2GiB.
func (m *amount) Set(text string) error {
	found := amountForm.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return fmt.Errorf("%q is no amount of memory: e.g. 4GB", text)
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no amount of memory: e.g. 4GB", text)
	}
	step := int64(1000)
	if found[3] != "" {
		step = 1024
	}
	for range units[strings.ToLower(found[2])] {
		if n *= step; n > 1<<50 {
			return fmt.Errorf("%s is more than any machine has", text)
		}
	}
	if n < load.LeastMemory {
		return fmt.Errorf("%s is less than a statement needs to begin with: 256MiB", text)
	}
	*m = amount(n)
	return nil
}

// String writes it in the largest unit of which it is a whole number.
func (m *amount) String() string {
	for _, unit := range []string{"t", "g", "m", "k"} {
		size := int64(1)
		for range units[unit] {
			size *= 1024
		}
		if n := int64(*m); n > 0 && n%size == 0 {
			return fmt.Sprintf("%d%siB", n/size, strings.ToUpper(unit))
		}
	}
	return fmt.Sprintf("%dB", int64(*m))
}

// Type is what --help calls it.
func (m *amount) Type() string { return "amount" }
