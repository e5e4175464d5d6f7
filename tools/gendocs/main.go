// Command gendocs writes docs/streams.md.
package main

import (
	"fmt"
	"os"

	"aqueduck/schemas"
)

func main() {
	if err := writeDocs("docs/streams.md"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeDocs(file string) error {
	c, err := schemas.Builtin()
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(schemas.Docs(c)), 0o644)
}
