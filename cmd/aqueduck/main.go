// Command aqueduck brings a customer-messaging workspace into a DuckDB file and Parquet files.
package main

import (
	"os"
	"time"
	_ "time/tzdata" // schedules know their zones on machines that have none
)

func main() {
	a := app{name: os.Args[0], args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv,
		now: time.Now, wait: wait}
	os.Exit(a.run())
}
