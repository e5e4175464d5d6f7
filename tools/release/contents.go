package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// gatherContents returns the files of the archive by path: the program, its generated pages, and the files of the source for users.
func gatherContents(ctx context.Context, t target, source, program string) (map[string]archiveFile, error) {
	files := map[string]archiveFile{}
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	files["bin/aqueduck"] = archiveFile{text, 0o755}
	if err := fromSource(files, source); err != nil {
		return nil, err
	}
	if err := fromProgram(ctx, t, files, program); err != nil {
		return nil, err
	}
	all, err := listModules(ctx, source, t.env)
	if err != nil {
		return nil, err
	}
	return files, addLicences(files, all)
}

// fromSource adds the pages, the example the licence, and the files of an installation.
func fromSource(files map[string]archiveFile, source string) error {
	return filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		dir, _, below := strings.Cut(name, "/")
		switch {
		case strings.HasPrefix(name, "packaging/debian/"):
			return nil // the package is built from it
		case name == "README.md", name == "CHANGELOG.md", name == "LICENSE", name == "SECURITY.md", below && dir == "packaging":
		case name == "pipelines.yaml":
			name = "pipelines.example.yaml" // another name, so that unpacking a newer archive does not overwrite the user's file
		case below && dir == "docs" && !strings.HasSuffix(name, ".go"):
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		files[name] = archiveFile{text, 0o644}
		return err
	})
}

// shells are the shells with completion, and where each looks for its completion file.
var shells = map[string]string{"bash": "completions/bash/aqueduck", "zsh": "completions/zsh/_aqueduck", "fish": "completions/fish/aqueduck.fish"}

// fromProgram adds what the program prints: its modules, its manual and its completions. The program runs with an empty environment.
func fromProgram(ctx context.Context, t target, files map[string]archiveFile, program string) error {
	ask := func(args ...string) (string, error) {
		line := t.command(program, args...)
		return runCommand(ctx, filepath.Dir(program), []string{}, line[0], line[1:]...)
	}
	for shell, name := range shells {
		text, err := ask("completion", shell)
		if err != nil {
			return err
		}
		files[name] = archiveFile{[]byte(text), 0o644}
	}
	parts, err := ask("version", "--json")
	if err != nil {
		return err
	}
	files["version.json"] = archiveFile{[]byte(parts), 0o644}
	page, err := makeManual(ask)
	files["man/man1/aqueduck.1"] = archiveFile{[]byte(page), 0o644}
	return err
}
