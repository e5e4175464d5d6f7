// Command aqueduck loads a customer-messaging workspace into a DuckDB file and Parquet files.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"aqueduck/internal/cli"
	"aqueduck/internal/sandbox"
)

func main() {
	cli.Harden()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40) // a process of one task; the program itself reserves a heap
	}
	env := &cli.Env{Name: os.Args[0], Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv, Environ: os.Environ(),
		Now: time.Now, Wait: cli.Wait}
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(cli.Tasks(env)))
	}
	reserve := reserveHeap()
	code := cli.Run(env)
	runtime.KeepAlive(reserve)
	os.Exit(code)
}

// reserveHeap says when the heap is collected, unless GOGC does. It is a few large buffers of texts and numbers, and Go's default lets garbage
// double it first, which costs a hundred megabytes. A small percentage alone collects a small heap all the time: 83 times in a first run of
// 100,000 contacts. The collector counts the reserve as used and never reads it, so that it takes no memory: 16 MB and a quarter of the rest
// may be garbage. Twice the reserve costs 40 MiB more at the peak of a million contacts, and saves nothing there.
func reserveHeap() []byte {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	debug.SetGCPercent(25)
	return make([]byte, 64<<20)
}
