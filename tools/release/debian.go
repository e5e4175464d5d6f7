package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// packagePlaces says where files of the archive are in the package, by the beginnings of their paths. The first that fits counts.
var packagePlaces = []struct{ from, to string }{
	{"bin/", "usr/bin/"},
	{"pipelines.example.yaml", "etc/aqueduck/pipelines.yaml"},
	{"packaging/aqueduck.service", "lib/systemd/system/aqueduck.service"},
	{"man/", "usr/share/man/"},
	{shells["bash"], "usr/share/bash-completion/completions/aqueduck"},
	{shells["zsh"], "usr/share/zsh/vendor-completions/_aqueduck"},
	{shells["fish"], "usr/share/fish/vendor_completions.d/aqueduck.fish"},
	{"", "usr/share/doc/aqueduck/"},
}

// packageHome is the home of the service in the package. In the archive it is archiveHome.
const packageHome, archiveHome = "/var/lib/aqueduck", "/srv/aqueduck"

// writePackage writes a Debian package with the files of the archive.
func writePackage(ctx context.Context, path, source string, t target, c releaseCommit, files map[string]archiveFile) (err error) {
	root, err := os.MkdirTemp("", "aqueduck-package-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	size, err := stagePackage(root, files)
	if err != nil {
		return err
	}
	if err := stageControl(root, source, t, c, size); err != nil {
		return err
	}
	// The directories of the package have one mode, whatever the umask here.
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	}); err != nil {
		return err
	}
	env := append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(c.time.Unix(), 10))
	if _, err := runCommand(ctx, root, env, "dpkg-deb", "--build", "--root-owner-group", "-Zgzip", "-z9", root, path); err != nil {
		return fmt.Errorf("build the package: on Debian, apt-get install dpkg: %w", err)
	}
	return nil
}

// stagePackage writes the files of the package below a directory, and returns their size in KiB.
func stagePackage(root string, files map[string]archiveFile) (size int, err error) {
	for name, file := range files {
		to, text := "", file.text
		for _, place := range packagePlaces {
			if rest, ok := strings.CutPrefix(name, place.from); ok {
				to = place.to + rest
				break
			}
		}
		switch {
		case strings.HasSuffix(to, ".service"):
			text = bytes.ReplaceAll(text, []byte(archiveHome+"/bin/"), []byte("/usr/bin/"))
			text = bytes.ReplaceAll(text, []byte(archiveHome), []byte(packageHome))
		case strings.HasPrefix(to, "usr/share/man/"):
			to += ".gz"
			if text, err = compressText(text); err != nil {
				return 0, err
			}
		}
		if err := writeStaged(filepath.Join(root, to), text, os.FileMode(file.mode)); err != nil {
			return 0, err
		}
		size += len(text)/1024 + 1
	}
	// The service and commands by hand run in the home, and find the configuration there.
	home := filepath.Join(root, packageHome)
	return size, errors.Join(os.MkdirAll(home, 0o755), os.Symlink("/etc/aqueduck/pipelines.yaml", filepath.Join(home, "pipelines.yaml")))
}

// stageControl writes what Debian's package manager reads: packaging/debian of the source.
func stageControl(root, source string, t target, c releaseCommit, size int) error {
	fill := strings.NewReplacer("@VERSION@", debianVersion(c.version), "@ARCH@", t.arch, "@SIZE@", strconv.Itoa(size))
	for name, mode := range map[string]os.FileMode{"control": 0o644, "conffiles": 0o644, "postinst": 0o755, "prerm": 0o755, "postrm": 0o755} {
		text, err := os.ReadFile(filepath.Join(source, "packaging", "debian", name))
		if err != nil {
			return err
		}
		if err := writeStaged(filepath.Join(root, "DEBIAN", name), []byte(fill.Replace(string(text))), mode); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join(source, "packaging", "debian", "copyright"))
	if err != nil {
		return err
	}
	return writeStaged(filepath.Join(root, "usr/share/doc/aqueduck/copyright"), text, 0o644)
}

// debianVersion returns a version as Debian orders it: a release candidate comes before its release.
func debianVersion(version string) string { return strings.ReplaceAll(version, "-", "~") }

// writeStaged writes a file with exactly this mode, and its directories.
func writeStaged(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func compressText(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}
