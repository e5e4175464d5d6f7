//go:build !crashpoints

package crash

// At does nothing: this program was built without crash points.
func At(string) {}

// Named says whether places can be named in this program.
const Named = false

// Watch does nothing: no place is ever told of.
func Watch(func(name string)) {}
