package core

import "slices"

// Union is a list with what it lacks of another one.
func Union(a, b []int32) []int32 {
	for _, n := range b {
		a = WithElement(a, n)
	}
	return a
}

// WithElement and without give copies, so that lists shared with older versions stay as they were.
func WithElement(list []int32, n int32) []int32 {
	if slices.Contains(list, n) {
		return list
	}
	return append(slices.Clone(list), n)
}

// WithoutElement is a list without an element.
func WithoutElement[T comparable](list []T, n T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(have T) bool { return have == n })
}
