package extract

import (
	"fmt"
	"runtime/debug"
)

// Panic is a fault of the program that was met while it ran, as an error, with the stack of where.
type Panic struct {
	Value any
	Stack []byte
}

// Error says what it was, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Caught makes a panic of the function that defers it its error. What runs beside it goes on: it must be able to.
func Caught(err *error) {
	if value := recover(); value != nil {
		*err = &Panic{Value: value, Stack: debug.Stack()}
	}
}
