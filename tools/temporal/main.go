// Command temporal serves Temporal in memory, for the test of a fleet of workers. It prints its address and its namespace, and ends with its input.
package main

import (
	"fmt"
	"io"
	"os"

	"go.temporal.io/server/temporaltest"
)

func main() {
	server := temporaltest.NewServer()
	fmt.Println(server.GetFrontendHostPort(), server.GetDefaultNamespace())
	_, _ = io.Copy(io.Discard, os.Stdin) // the end of the input is the end of the test
	server.Stop()
}
