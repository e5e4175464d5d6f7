package core

import "slices"

// Union returns a list with the missing elements of another one.
func Union(a, b []int32) []int32 {
	for _, n := range b {
		a = WithElement(a, n)
	}
	return a
}

// WithElement returns a copy with an element added. Copies keep lists that older versions share unchanged.
func WithElement(list []int32, n int32) []int32 {
	if slices.Contains(list, n) {
		return list
	}
	return append(slices.Clone(list), n)
}

// WithoutElement returns a copy without an element.
func WithoutElement[T comparable](list []T, n T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(have T) bool { return have == n })
}
