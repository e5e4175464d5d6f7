// Command aqueduck brings a customer-messaging workspace into a DuckDB file and Parquet files.
package main

import "os"

func main() {
	a := app{args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv}
	os.Exit(a.run())
}
