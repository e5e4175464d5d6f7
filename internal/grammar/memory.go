package grammar

import (
	"fmt"
	"strconv"
	"strings"
)

// MemoryForm is the form of an amount of memory.
var MemoryForm = NewForm(`^([0-9]{1,9})([kKmMgGtT])([iI]?)[bB]$`, "%q is not an amount of memory, e.g. 4GB")

// ParseMemory parses an amount of memory such as 512MB, 2GB or 2GiB into bytes.
func ParseMemory(text string) (int64, error) {
	found := MemoryForm.pattern.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return 0, MemoryForm.Check(text)
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read an amount of memory: %w", err)
	}
	step := int64(1000)
	if found[3] != "" {
		step = 1024
	}
	for range 1 + strings.Index("kmgt", strings.ToLower(found[2])) {
		if n *= step; n > 1<<50 {
			return 0, fmt.Errorf("%s is more memory than any machine has", text)
		}
	}
	return n, nil
}
