//go:build !crashpoints

package crash

// At does nothing: this binary has no crash points.
func At(string) {}

// Named reports whether this binary has crash points.
const Named = false

// Watch does nothing: this binary has no crash points.
func Watch(func(name string)) {}
