package grammar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	memoryForm = regexp.MustCompile(`^([0-9]{1,9})(?i:([kmgt])(i?)b)$`)
	units      = map[string]int{"k": 1, "m": 2, "g": 3, "t": 4}
)

// Memory reads an amount of it, as people write it: 512MB, 2GB or 2GiB. It gives bytes.
func Memory(text string) (int64, error) {
	found := memoryForm.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return 0, fmt.Errorf("%q is no amount of memory: e.g. 4GB", text)
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no amount of memory: e.g. 4GB", text)
	}
	step := int64(1000)
	if found[3] != "" {
		step = 1024
	}
	for range units[strings.ToLower(found[2])] {
		if n *= step; n > 1<<50 {
			return 0, fmt.Errorf("%s is more than any machine has", text)
		}
	}
	return n, nil
}
