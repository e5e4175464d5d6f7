package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	all := flag.Bool("all", false, "also print each long sentence, replaced word and long cell, with its place")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "words [flags] [directory of the project]")
		flag.PrintDefaults()
	}
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if err := printCounts(os.Stdout, root, *all); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func printCounts(out io.Writer, root string, all bool) error {
	replaced, err := readGlossary(filepath.Join(root, glossaryPage))
	if err != nil {
		return err
	}
	texts, err := collectTexts(root)
	if err != nil {
		return err
	}
	total, findings := counts{}, []finding{}
	byFile, files := map[string]counts{}, []string{}
	for _, t := range texts {
		n, found := replaced.count(t)
		if _, known := byFile[t.file]; !known {
			files = append(files, t.file)
		}
		byFile[t.file] = byFile[t.file].plus(n)
		total, findings = total.plus(n), append(findings, found...)
	}
	if all {
		for _, f := range findings {
			fmt.Fprintln(out, f)
		}
	}
	fmt.Fprintln(out, "| text | words | sentences | longer than 30 words | replaced words | long cells |\n|---|---:|---:|---:|---:|---:|")
	for _, file := range files {
		if n := byFile[file]; n.long+n.replaced+n.cells > 0 {
			fmt.Fprintf(out, "| %s | %s\n", file, n)
		}
	}
	_, err = fmt.Fprintf(out, "| **all** | %s\n", total)
	return err
}
