package extract

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a fault of the program that was met while it ran, as an error, with the stack of where.
type PanicError struct {
	Value any
	Stack []byte
}

// Error says what it was, without the stack.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// RecoverPanic makes a panic of the function that defers it its error. What runs beside it goes on: it must be able to.
func RecoverPanic(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{Value: value, Stack: debug.Stack()}
	}
}
