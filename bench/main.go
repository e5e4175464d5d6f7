// Command bench measures the program by CPU time, beside what its work costs at the least: DuckDB's own reading of the
// same records, and a copy of their bytes. Everything large runs in processes of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// roles are what this program does in processes of their own.
var roles = map[string]func(args []string) error{
	"space":    serveSpace,
	"record":   record,
	"copy":     copyBytes,
	"readjson": readJSON,
	"steps":    steps,
	"profile":  profiled,
}

func main() {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		exit(roles[os.Args[1]](os.Args[2:]))
	}
	sizes := flag.String("contacts", "100000,1000000", "how many contacts; several with commas between them")
	talking := flag.Int("conversations", 100_000, "how many conversations; 0 leaves them out")
	profile := flag.String("profile", "", "directory for CPU profiles of the syncs")
	flag.Parse()
	exit(run(context.Background(), *sizes, *talking, *profile))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, sizes string, conversations int, profile string) error {
	fmt.Println(machine(ctx))
	for _, text := range strings.FieldsFunc(sizes, func(r rune) bool { return r == ',' }) {
		contacts, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		b := &bench{contacts: contacts, profile: profile}
		if err := b.run(ctx); err != nil {
			return err
		}
		b.report.print(os.Stdout)
	}
	if conversations == 0 {
		return nil
	}
	b := &talks{bench: bench{profile: profile}, conversations: conversations}
	if err := b.run(ctx); err != nil {
		return err
	}
	b.print(os.Stdout)
	return nil
}
