// Command release builds what people install the program from, out of the last commit: an archive and a Debian package for each
// architecture, a container image, their checksums, and a signature. The same commit with the same compilers gives the same bytes; the
// image also depends on the packages that Debian has that day.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	out := flag.String("o", "dist", "directory that the files are written to")
	arches := flag.String("arch", runtime.GOARCH, "architectures, separated by spaces: amd64, arm64")
	key := flag.String("key", "", "GnuPG key that signs SHA256SUMS: a fingerprint or the name in the key (default: no signature)")
	image := flag.Bool("image", false, "also build a container image")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	files, err := buildRelease(ctx, ".", *out, releaseParts{strings.Fields(*arches), *image}, os.Environ())
	if err == nil {
		files = append(files, filepath.Join(*out, sumsName))
		err = signChecksums(ctx, *out, *key, os.Environ())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(files, "\n"))
	if *key == "" {
		fmt.Println("not signed: make release SIGNING_KEY=… signs", sumsName, "with a key of gpg --list-secret-keys")
	}
}

// releaseParts says what is built.
type releaseParts struct {
	arches []string
	image  bool // a container image, too
}

// buildRelease writes the archive and the package of the last commit of a repository for each architecture, and the checksums of all.
func buildRelease(ctx context.Context, root, out string, parts releaseParts, env []string) (files []string, err error) {
	c, err := lastCommit(ctx, root)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "aqueduck-release-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if gone := os.RemoveAll(work); err == nil {
			err = gone
		}
	}()
	source := filepath.Join(work, "source")
	if err := exportCommit(ctx, root, source); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	for _, arch := range parts.arches {
		t, err := newTarget(arch, env)
		if err != nil {
			return nil, err
		}
		built, err := buildFor(ctx, t, c, source, out, parts.image)
		if err != nil {
			return nil, fmt.Errorf("release for %s: %w", arch, err)
		}
		files = append(files, built...)
	}
	return files, writeChecksums(out)
}

// buildFor writes the archive, the package and, if wanted, the image for one architecture.
func buildFor(ctx context.Context, t target, c releaseCommit, source, out string, image bool) ([]string, error) {
	program := filepath.Join(filepath.Dir(source), "aqueduck-"+t.arch)
	// The command states everything that the build depends on: no paths of the machine, no state of a repository.
	if _, err := runCommand(ctx, source, t.env, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", releaseTags,
		"-ldflags=-s -w -X aqueduck/internal/cli.stampedCommit="+c.id, "-o", program, "./cmd/aqueduck"); err != nil {
		return nil, err
	}
	files, err := gatherContents(ctx, t, source, program)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("aqueduck_%s_%s_%s", c.version, runtime.GOOS, t.arch)
	archive := filepath.Join(out, name+".tar.gz")
	if err := writeArchive(archive, name, files, c.time); err != nil {
		return nil, err
	}
	if runtime.GOOS != "linux" {
		return []string{archive}, nil
	}
	pack, err := filepath.Abs(filepath.Join(out, fmt.Sprintf("aqueduck_%s_%s.deb", debianVersion(c.version), t.arch)))
	if err != nil {
		return nil, err
	}
	if err := writePackage(ctx, pack, source, t, c, files); err != nil || !image {
		return []string{archive, pack}, err
	}
	layout := filepath.Join(out, name+".oci.tar")
	return []string{archive, pack, layout}, writeImage(ctx, layout, t, c, files)
}
