package usage

import (
	"fmt"

	"aqueduck/internal/grammar"
	"aqueduck/load/read"
)

// Memory is the value of a flag that limits memory, in bytes.
type Memory int64

// Set reads an amount such as 512MB, 2GB or 2GiB.
func (m *Memory) Set(text string) error {
	n, err := grammar.ParseMemory(text)
	if err != nil {
		return err
	}
	if n < read.LeastMemory {
		return fmt.Errorf("%s is below the minimum of a statement: 256MiB", text)
	}
	*m = Memory(n)
	return nil
}

// String writes the amount in the largest unit in which it is a whole number.
func (m *Memory) String() string {
	for i, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		size := int64(1) << (10 * (4 - i))
		if n := int64(*m); n > 0 && n%size == 0 {
			return fmt.Sprintf("%d%s", n/size, unit)
		}
	}
	return fmt.Sprintf("%dB", int64(*m))
}

// Type is the name of the value in --help.
func (m *Memory) Type() string { return "amount" }
