package extract

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a recovered panic, with the stack where it occurred.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is the panic's value, without the stack.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// RecoverPanic, when deferred, turns a panic of the calling function into its error. Other goroutines continue.
func RecoverPanic(err *error) {
	value := recover()
	if earlier, again := value.(*PanicError); again {
		*err = earlier // a panic of another goroutine, with the stack of that
	} else if value != nil {
		*err = &PanicError{Value: value, Stack: debug.Stack()}
	}
}
