package usage

import (
	"errors"
	"strconv"
)

// Verbosity counts how often -v was given.
type Verbosity int

// String is a number only where once is not enough.
func (v *Verbosity) String() string {
	if *v > 1 {
		return strconv.Itoa(int(*v))
	}
	return strconv.FormatBool(*v > 0)
}

// Set takes one more for each true, and a number as the count.
func (v *Verbosity) Set(text string) error {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		*v = Verbosity(n)
		return nil
	}
	yes, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("expected true, false or a number")
	}
	if *v++; !yes {
		*v = 0
	}
	return nil
}

// Type is what help says of flags that need no value.
func (v *Verbosity) Type() string { return "bool" }
