package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// linkedModule is a module that the program links.
type linkedModule struct{ path, version, dir string }

// addLicences adds the licences of Go and of each module, under the module's path. A module without one is an error.
func addLicences(files map[string]archiveFile, all []linkedModule) error {
	var list strings.Builder
	list.WriteString("What aqueduck is linked from. The libraries inside DuckDB's own (lib/...) have licences of their own, which its sources tell.\n\n")
	for _, p := range all {
		found, err := licencesIn(p.dir)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("module %s has no licence in %s: see where it is, and whether it may be passed on", p.path, p.dir)
		}
		fmt.Fprintf(&list, "%s %s:", p.path, p.version)
		for _, name := range slices.Sorted(maps.Keys(found)) {
			files["licences/"+p.path+"/"+name] = archiveFile{found[name], 0o644}
			list.WriteString(" " + name)
		}
		list.WriteString("\n")
	}
	files["licences/README"] = archiveFile{[]byte(list.String()), 0o644}
	return nil
}

// listModules lists Go itself and the modules of the linked packages, for the architecture of an environment.
func listModules(ctx context.Context, source string, env []string) ([]linkedModule, error) {
	said, err := runCommand(ctx, source, env, "go", "list", "-mod=readonly", releaseTags, "-deps",
		"-f", `{{with .Module}}{{if not .Main}}{{.Path}}	{{.Version}}	{{.Dir}}{{end}}{{end}}`, "./cmd/aqueduck")
	if err != nil {
		return nil, err
	}
	root, err := runCommand(ctx, source, env, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(root), "\n")
	lines := slices.DeleteFunc(strings.Split(said, "\n"), func(line string) bool { return strings.Count(line, "\t") != 2 })
	slices.Sort(lines)
	all := []linkedModule{{"go", version, dir}}
	for _, line := range slices.Compact(lines) {
		f := strings.Split(line, "\t")
		all = append(all, linkedModule{f[0], f[1], f[2]})
	}
	return all, nil
}

// terms matches the names of licence files.
var terms = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([._-].*)?$`)

// licencesIn returns the licence files at the root of a module.
func licencesIn(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !terms.MatchString(e.Name()) {
			continue
		}
		if found[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return found, nil
}
