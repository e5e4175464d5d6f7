// Command measure prints the numbers of a tree of Go files, and which files of its packages need each other in a circle, as Markdown.
//
// The numbers are of code without its tests, by whatever tags it is built. Lines of comment, which have nothing else, are a share of those
// that are not blank. A function reaches from func to its last brace, functions inside of it included; its complexity (cx) is one more than
// its ifs, loops, cases, && and ||. Identifiers are the functions, methods, types, variables and constants of packages; exported ones do not
// count methods of types that are not exported. A duplicate pair is two places that have the same six lines or more, letter by letter but
// for indentation; blank lines, comments, imports and lone punctuation are passed over, what stands in three places is three pairs.
//
// A circle is the largest set of files of a package that all need each other, directly or through others: their functions, methods,
// fields, types, variables or constants, as the compiler resolves them with the tags that are given.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"aqueduck/tools/structure"
)

// longFunction is the most lines that a function of this project may have.
const longFunction = 60

func main() {
	tags := flag.String("tags", "", "build tags of the tree; those of GOFLAGS where none are given")
	circles := flag.Bool("circles", true, "also the files that need each other, for which the tree is compiled")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "measure [flags] [directory of a Go module]")
		flag.PrintDefaults()
	}
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if err := printMeasures(os.Stdout, root, *tags, *circles); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func printMeasures(out io.Writer, root, tags string, circles bool) error {
	n, err := structure.Measure(root)
	if err != nil {
		return err
	}
	printNumbers(out, n)
	if !circles {
		return nil
	}
	packages, err := structure.Packages(root, tags)
	if err != nil {
		return err
	}
	printCircles(out, packages)
	return nil
}

// printNumbers prints one row per number, so that two trees can be compared side by side.
func printNumbers(out io.Writer, n structure.Numbers) {
	length := func(f structure.Function) int { return f.Lines }
	branches := func(f structure.Function) int { return f.Complexity }
	packages := len(n.PackageLines)
	dir, biggest := n.BiggestPackage()
	long := n.LongerThan(longFunction)
	fmt.Fprint(out, "| without tests | |\n|---|---|\n")
	for _, row := range [][2]string{
		{"lines", fmt.Sprint(n.Lines)},
		{"comment lines", formatShare(n.CommentLines, n.Lines-n.BlankLines)},
		{"test/code", formatShare(n.TestLines, n.Lines)},
		{"fn p50", fmt.Sprint(n.Quantile(0.50, length))},
		{"fn p90", fmt.Sprint(n.Quantile(0.90, length))},
		{fmt.Sprintf("fn > %d", longFunction), fmt.Sprintf("%.1f %% (%d)", 100*safeRatio(long, len(n.Functions)), long)},
		{"cx p99", fmt.Sprint(n.Quantile(0.99, branches))},
		{"cx max", fmt.Sprint(n.Quantile(1, branches))},
		{"packages", fmt.Sprint(packages)},
		{"biggest package", fmt.Sprintf("%d (%s)", biggest, dir)},
		{"files / pkg", fmt.Sprintf("%.1f", safeRatio(n.Files, packages))},
		{"identifiers / pkg", fmt.Sprintf("%.0f", safeRatio(n.Names, packages))},
		{"exported / pkg", fmt.Sprintf("%.0f", safeRatio(n.Exported, packages))},
		{"documented", formatShare(n.Documented, n.Exported)},
		{"one word, not exported", formatShare(n.OneWord, n.Unexported)},
		{"names defined 5 times", fmt.Sprint(len(n.DefinedOften()))},
		{"interfaces", fmt.Sprint(n.Interfaces)},
		{"duplicate pairs / 1k lines", fmt.Sprintf("%.1f", 1000*safeRatio(n.Duplicates, n.Lines))},
	} {
		fmt.Fprintf(out, "| %s | %s |\n", row[0], row[1])
	}
}

// printCircles prints the packages with a circle of files, the largest first.
func printCircles(out io.Writer, packages []structure.Package) {
	type row struct {
		p      structure.Package
		circle structure.Circle
	}
	var rows []row
	for _, p := range packages {
		if c := p.LargestCircle(); len(c.Files) > 0 {
			rows = append(rows, row{p, c})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return len(b.circle.Files) - len(a.circle.Files) })
	fmt.Fprint(out, "\n| package | files | in the largest circle | of its lines |\n|---|---|---|---|\n")
	for _, r := range rows {
		files := len(r.circle.Files)
		fmt.Fprintf(out, "| %s | %d | %d (%s) | %s |\n", r.p.Dir, r.p.Files(), files, formatShare(files, r.p.Files()), formatShare(r.circle.Lines, r.p.Lines()))
	}
	fmt.Fprintf(out, "\nIn the other %d of %d packages no file needs another in a circle.\n", len(packages)-len(rows), len(packages))
}

// safeRatio returns 0 for a division by zero.
func safeRatio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func formatShare(part, whole int) string { return fmt.Sprintf("%.0f %%", 100*safeRatio(part, whole)) }
