package render

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/internal/term"
	"aqueduck/load/access"
)

// PrintContents prints what a configuration without mistakes has, how many warnings were printed before, and who can read the files of its warehouse.
// A run would be refused for the first of the warnings, as many as refused says.
func PrintContents(w io.Writer, files string, warnings, refused int, c *config.Config, read, unread []string) error {
	var pipelines, workspaces []string
	for _, p := range c.Pipelines {
		pipelines = append(pipelines, p.Name)
		for _, name := range p.Workspaces(c) {
			if !slices.Contains(workspaces, name) {
				workspaces = append(workspaces, name)
			}
		}
	}
	readers := "unknown: "
	if a, err := access.Readers(c.Warehouse.Readers).Audience(c.Warehouse.Dir); err != nil {
		readers += err.Error()
	} else {
		can := "can read"
		if _, err := os.Stat(c.Warehouse.Dir); errors.Is(err, fs.ErrNotExist) {
			can = "will be able to read"
		}
		readers = formatAudience(c.Warehouse.Dir, can, a)
	}
	result := files + " is right"
	switch {
	case refused > 1:
		result = fmt.Sprintf("%s has no mistake, but a run on this machine would be refused, with exit code 3: see the first %d of %s", files, refused, term.Count(warnings, "warning"))
	case refused == 1 && warnings == 1:
		result = files + " has no mistake, but a run on this machine would be refused, with exit code 3: see the warning"
	case refused == 1:
		result = fmt.Sprintf("%s has no mistake, but a run on this machine would be refused, with exit code 3: see the first of %s", files, term.Count(warnings, "warning"))
	case warnings > 0:
		result += ", with " + term.Count(warnings, "warning")
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	_, err := fmt.Fprintf(w, "%s\n  pipelines   %s\n  workspaces  %s\n  streams     %s\n  unused      %s\n  readers     %s\n", result, list(pipelines), list(workspaces), list(read), cmp.Or(list(unread), "none"), readers)
	return err
}

// formatAudience says in words who can read the files of a directory.
func formatAudience(dir, can string, a access.Audience) string {
	who := "only user " + a.Owner
	switch {
	case a.All:
		who = "every user of this machine"
	case a.Group != "":
		who = fmt.Sprintf("user %s and group %s", a.Owner, a.Group)
	}
	text := fmt.Sprintf("%s %s %s (mode %04o)", who, can, dir, a.Mode)
	if a.Path != "" {
		text += ", because " + a.Path + " is closed to others"
	}
	return text
}
