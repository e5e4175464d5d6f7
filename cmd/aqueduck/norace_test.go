//go:build !race

package main

// racing says that the tests run with the race detector.
const racing = false
