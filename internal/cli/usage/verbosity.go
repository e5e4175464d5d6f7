package usage

import (
	"errors"
	"strconv"
)

// Verbosity is the number of times that -v was given.
type Verbosity int

// String is a number only above 1.
func (v *Verbosity) String() string {
	if *v > 1 {
		return strconv.Itoa(int(*v))
	}
	return strconv.FormatBool(*v > 0)
}

// Set adds one for each true, and takes a number as the count.
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

// Type makes --help show the flag without a value.
func (v *Verbosity) Type() string { return "bool" }
