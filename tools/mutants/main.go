// Command mutants plants known bugs into a copy of this repository, one at a time, and says whether the test that is
// named for the bug fails. With -by it tries another test. A bug that nobody notices is a test that is missing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Time limits of a slow test, as a bug may keep it from ending, and of a whole package or of one test for every bug.
const (
	patience = "120s"
	forAll   = "10m"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	by := flag.String("by", "", "package.Test: run this test for every bug instead of the one that is named for it")
	flag.Parse()
	survivors, err := huntMutants(ctx, flag.Args(), *by)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		os.Exit(1)
	}
}

// huntMutants plants the bugs that match one of the words by description or file; all without words. It returns how many survived, each
// against its own test, or against the test in by.
func huntMutants(ctx context.Context, words []string, by string) (survivors int, err error) {
	chosen := slices.DeleteFunc(slices.Clone(mutants), func(m mutant) bool {
		return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(m.bug+" "+m.file, word) })
	})
	limit := patience
	if by != "" {
		limit = forAll
		for i := range chosen {
			chosen[i].killer = by
		}
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(dir, "."); err != nil {
		return 0, fmt.Errorf("copy the repository: %w", err)
	}
	fmt.Printf("%d bugs; first their tests without any\n", len(chosen))
	if err := checkHealthy(ctx, dir, chosen); err != nil {
		return 0, err
	}
	began := time.Now()
	for i, m := range chosen {
		started := time.Now()
		fate, err := plantMutant(ctx, dir, m, limit)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", m.bug, err)
		}
		if fate != killed {
			survivors++
		}
		fmt.Printf("%3d  %-8s %5.1fs  %-80s %s\n", i+1, fate, time.Since(started).Seconds(), m.bug, m.killer)
	}
	fmt.Printf("%d of %d killed in %s\n", len(chosen)-survivors, len(chosen), time.Since(began).Round(time.Second))
	return survivors, nil
}

// The fates of a mutant.
const (
	killed   = "killed"
	survived = "SURVIVED"
	broken   = "BROKEN" // it does not build, or its test ended in another way than by failing
)

// plantMutant plants a bug into the copy, runs its test, and removes the bug again.
func plantMutant(ctx context.Context, dir string, m mutant, limit string) (fate string, err error) {
	path := filepath.Join(dir, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s has the text to be replaced %d times: it has changed since, write the bug anew", m.file, n)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o644); err != nil {
		return "", err
	}
	pkg, name, _ := strings.Cut(m.killer, ".")
	output, failed := goTest(ctx, dir, packages[pkg], runPattern(name), limit)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", err
	}
	test, _, _ := strings.Cut(name, "/")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case !failed:
		return survived, nil
	case strings.Contains(output, "--- FAIL: "+test):
		return killed, nil
	}
	fmt.Println(output)
	return broken, nil
}

// checkHealthy runs the tests without a bug: a test that fails anyway would seem to notice every bug.
func checkHealthy(ctx context.Context, dir string, chosen []mutant) error {
	tests := map[string][]string{}
	for _, m := range chosen {
		pkg, name, _ := strings.Cut(m.killer, ".")
		test, _, _ := strings.Cut(name, "/")
		if !slices.Contains(tests[pkg], test) {
			tests[pkg] = append(tests[pkg], test)
		}
	}
	for pkg, names := range tests {
		if output, failed := goTest(ctx, dir, packages[pkg], "^("+strings.Join(names, "|")+")$", forAll); failed {
			return fmt.Errorf("the tests of %s fail without a bug:\n%s", pkg, output)
		}
	}
	return nil
}

// runPattern returns the -run pattern of a test, or of one of its cases.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(strings.ReplaceAll(part, " ", "_")) + "$"
	}
	return strings.Join(parts, "/")
}

func goTest(ctx context.Context, dir, pkg, run, timeout string) (output string, failed bool) {
	// Without debug information a test that contains DuckDB links in half the time.
	c := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout", timeout, "-run", run, "./"+pkg)
	c.Dir = dir
	c.Env = append(os.Environ(), "AQUEDUCK_HEAVY=1")
	text, err := c.CombinedOutput()
	return string(text), err != nil
}

// copyTree copies what go test needs: no repository, no binaries, no data.
func copyTree(to, from string) error {
	for _, part := range []string{"go.mod", "go.sum", "cmd", "extract", "transform", "load", "schemas", "internal", "docs"} {
		source, target := filepath.Join(from, part), filepath.Join(to, part)
		info, err := os.Stat(source)
		if err != nil {
			return err
		}
		if info.IsDir() {
			if err := os.CopyFS(target, os.DirFS(source)); err != nil {
				return err
			}
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
