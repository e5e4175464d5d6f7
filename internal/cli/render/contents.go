package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/load/access"
)

// PrintContents prints what a configuration without mistakes has, and who can read the files of its warehouse.
func PrintContents(w io.Writer, files string, c *config.Config, read, unread []string) error {
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
		readers = formatAudience(c.Warehouse.Dir, a)
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	_, err := fmt.Fprintf(w, "%s is right\n  pipelines   %s\n  workspaces  %s\n  streams     %s\n  not read    %s\n  readers     %s\n", files, list(pipelines), list(workspaces), list(read), cmp.Or(list(unread), "none"), readers)
	return err
}

// formatAudience says in words who can read the files of a directory.
func formatAudience(dir string, a access.Audience) string {
	who := "only user " + a.Owner
	switch {
	case a.All:
		who = "every user of this machine"
	case a.Group != "":
		who = fmt.Sprintf("user %s and group %s", a.Owner, a.Group)
	}
	text := fmt.Sprintf("%s can read %s (mode %04o)", who, dir, a.Mode)
	if a.Path != "" {
		text += ", because " + a.Path + " is closed to others"
	}
	return text
}
