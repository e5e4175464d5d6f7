// Command release builds the archive that people install the program from, out of the last commit, for this machine's platform. The same
// commit with the same compilers gives the same bytes.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	out := flag.String("o", "dist", "directory that the archive and SHA256SUMS are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	archive, err := buildRelease(ctx, ".", *out, os.Environ())
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	fmt.Println(archive)
	fmt.Printf("only for %s/%s: DuckDB is C++, and is linked in by the compiler of the machine; for another one run make release there\n", runtime.GOOS, runtime.GOARCH)
}

// buildRelease writes the archive of the last commit of a repository, with a checksum file beside it.
func buildRelease(ctx context.Context, root, out string, env []string) (archive string, err error) {
	c, err := lastCommit(ctx, root)
	if err != nil {
		return "", err
	}
	work, err := os.MkdirTemp("", "aqueduck-release-")
	if err != nil {
		return "", err
	}
	defer func() {
		if gone := os.RemoveAll(work); err == nil {
			err = gone
		}
	}()
	source := filepath.Join(work, "source")
	if err := exportCommit(ctx, root, source); err != nil {
		return "", err
	}
	program := filepath.Join(work, "aqueduck")
	// The command states everything that the build depends on: no paths of the machine, no state of a repository.
	if _, err := runCommand(ctx, source, env, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-tags=duckdb_arrow",
		"-ldflags=-s -w -X aqueduck/internal/cli.stampedCommit="+c.id, "-o", program, "./cmd/aqueduck"); err != nil {
		return "", err
	}
	name := fmt.Sprintf("aqueduck_%s_%s_%s", c.version, runtime.GOOS, runtime.GOARCH)
	files, err := gatherContents(ctx, source, program)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	archive = filepath.Join(out, name+".tar.gz")
	if err := writeArchive(archive, name, files, c.time); err != nil {
		return "", err
	}
	return archive, writeChecksums(archive)
}

// writeChecksums writes SHA256SUMS beside an archive, over all archives in the directory.
func writeChecksums(archive string) error {
	dir := filepath.Dir(archive)
	all, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(text), filepath.Base(path))
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
