// Command aqueduck brings a customer-messaging workspace into a DuckDB file and Parquet files.
package main

import (
	"os"
	"runtime/debug"
	"time"
	_ "time/tzdata" // schedules know their zones on machines that have none
)

func main() {
	// The heap is a few large buffers of texts and numbers. To collect often costs next to nothing, measured 1 % of a
	// sync's CPU time; to let garbage double the heap first would cost a hundred megabytes.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(20)
	}
	a := app{name: os.Args[0], args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv,
		now: time.Now, wait: wait}
	os.Exit(a.run())
}
