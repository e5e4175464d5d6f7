// Command aqueduck loads a customer-messaging workspace into a DuckDB file and Parquet files.
package main

import (
	"os"
	"runtime/debug"
	"time"

	"aqueduck/internal/cli"
	"aqueduck/internal/sandbox"
)

func main() {
	cli.Harden()
	// The heap is a few large buffers of texts and numbers. Go's default of 100 % lets garbage double it first, which costs a hundred
	// megabytes. At 20 % the first batches, whose buffers still grow, cost 3 % more CPU time than at 40 %.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40)
	}
	env := &cli.Env{Name: os.Args[0], Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv,
		Now: time.Now, Wait: cli.Wait}
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(cli.Tasks(env)))
	}
	os.Exit(cli.Run(env))
}
