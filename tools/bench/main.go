// Command bench measures the program by CPU time, beside the least that its work can cost: the floor, DuckDB's own reading of the same records,
// and a copy of their bytes. Everything large runs in separate processes.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// roles are what this program does in separate processes.
var roles = map[string]func(args []string) error{
	"space":    serveSpace,
	"record":   recordContacts,
	"copy":     copyBytes,
	"readjson": readJSON,
	"floor":    buildFloor,
	"steps":    replaySteps,
	"profile":  profileSync,
	"grow":     growWorkspace,
	"touch":    touchConversations,
	"sizes":    printSizes,
	"read":     readModel,
	"within":   execLimited,
}

func main() {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		exitWith(roles[os.Args[1]](os.Args[2:]))
	}
	sizes := flag.String("contacts", "100000,1000000", "how many contacts; several with commas between them")
	runs := flag.Int("runs", 5, "how often each is measured; of several runs the median counts")
	check := flag.Bool("check", false, "instead, fail when a first run costs a fifth more than it did, in times the floor")
	talking := flag.Int("conversations", 100_000, "how many conversations; 0 leaves them out")
	profile := flag.String("profile", "", "directory for CPU profiles of the syncs")
	onlyModels := flag.Bool("models", false, "instead, read the analysts' models over the contacts and ten times as many parts")
	onlyTables := flag.Bool("tables", false, "instead, let publishes make the tables of models over the contacts and ten times as many parts")
	onlyLarge := flag.Bool("large", false, "instead, read contacts and conversations into one warehouse, within bounds of memory")
	onlyPeers := flag.Bool("peers", false, "instead, let other programs read the same contacts, and print one table")
	onlyBudget := flag.Bool("budget", false, "instead, measure the time of first runs with slow answers beside the least that their requests can take")
	into := flag.String("into", "", "directory for the other programs; \"\": aqueduck-peers in the directory of temporary files")
	of := modelsBench{}
	flag.StringVar(&of.only, "only", "", "of the models or pipelines those whose names match, a regular expression")
	flag.StringVar(&of.kept, "keep", "", "file in which the warehouse of the models stays; where there is one, it is read")
	flag.Parse()
	measured := func(ctx context.Context, sizes string, conversations int, profile string) error {
		return runDefault(ctx, sizes, conversations, workspaceBench{runs: *runs, profile: profile})
	}
	switch {
	case *check:
		measured = func(ctx context.Context, _ string, _ int, _ string) error { return checkRatio(ctx, os.Stdout) }
	case *onlyModels:
		measured = func(ctx context.Context, sizes string, _ int, _ string) error { return runModels(ctx, sizes, of) }
	case *onlyTables:
		measured = func(ctx context.Context, sizes string, _ int, _ string) error { return runTables(ctx, sizes) }
	case *onlyPeers:
		measured = func(ctx context.Context, sizes string, _ int, _ string) error {
			return runPeers(ctx, sizes, cmp.Or(*into, filepath.Join(os.TempDir(), "aqueduck-peers")))
		}
	case *onlyBudget:
		measured = func(ctx context.Context, _ string, _ int, _ string) error { return runBudget(ctx, of.only) }
	case *onlyLarge:
		measured = runLarge
	}
	exitWith(measured(context.Background(), *sizes, *talking, *profile))
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runModels(ctx context.Context, sizes string, of modelsBench) error {
	fmt.Println(describeMachine(ctx))
	return ofEach(sizes, func(contacts int) error {
		b := &modelsBench{workspaceBench: workspaceBench{contacts: contacts}, only: of.only, kept: of.kept}
		err := b.measureModels(ctx)
		if err == nil {
			b.printModels(os.Stdout)
		}
		return err
	})
}

func runTables(ctx context.Context, sizes string) error {
	fmt.Println(describeMachine(ctx))
	return ofEach(sizes, func(contacts int) error {
		b := &tablesBench{modelsBench: modelsBench{workspaceBench: workspaceBench{contacts: contacts}}}
		err := b.measureTables(ctx)
		if err == nil {
			b.printTables(os.Stdout)
		}
		return err
	})
}

func runDefault(ctx context.Context, sizes string, conversations int, of workspaceBench) error {
	fmt.Println(describeMachine(ctx))
	err := ofEach(sizes, func(contacts int) error {
		b := of
		b.contacts = contacts
		err := b.measureContacts(ctx)
		if err == nil {
			b.report.printReport(os.Stdout)
		}
		return err
	})
	if err != nil || conversations == 0 {
		return err
	}
	b := &conversationsBench{workspaceBench: of, conversations: conversations}
	if err := b.measureConversations(ctx); err != nil {
		return err
	}
	b.printConversations(os.Stdout)
	return nil
}
