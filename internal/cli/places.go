package cli

import (
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/internal/fleet"
)

// ofWorkspace is the environment of the runs of one workspace.
func (env *Env) ofWorkspace(workspace string) *Env {
	return &Env{Stderr: env.Stderr, Lookup: forWorkspace(env.Lookup, workspace), Now: env.Now, Wait: env.Wait, file: env.file, dir: env.dir,
		logLevel: env.logLevel, logFormat: env.logFormat, color: env.color, quiet: env.quiet, given: env.given, flags: env.flags}
}

// standIn is a value of the variable that stands for each of the names: one reading of the configuration is enough for all workspaces.
const standIn = "workspace_to_be_named"

// listPlaces returns every workspace with the configuration of its runs.
func (env *Env) listPlaces() (places []fleet.Place, err error) {
	all, catalogue, err := env.ofWorkspace(standIn).loadConfig()
	if err != nil {
		return nil, err
	}
	for _, name := range all.WorkspaceNames() {
		own := *all
		own.Warehouse.Dir = strings.ReplaceAll(all.Warehouse.Dir, standIn, name)
		own.Warehouse.Remote = strings.ReplaceAll(all.Warehouse.Remote, standIn, name)
		places = append(places, fleet.Place{Workspace: name, Config: &own, Catalogue: catalogue, Alone: own.Warehouse.Dir != all.Warehouse.Dir})
	}
	return places, nil
}

// unnamedPlaces returns every workspace where each has a directory of its own and AQUEDUCK_WORKSPACE names none; nil elsewhere.
func (env *Env) unnamedPlaces() []fleet.Place {
	if named, _ := env.Lookup(config.WorkspaceVariable); named != "" || env.dir != "" {
		return nil
	}
	places, err := env.listPlaces()
	if err != nil || !slices.ContainsFunc(places, func(p fleet.Place) bool { return p.Alone }) {
		return nil
	}
	return places
}

// forWorkspace gives the variable of --workspace a value, which separates the directories of workspaces.
func forWorkspace(lookup func(string) (string, bool), workspace string) func(string) (string, bool) {
	if workspace == "" {
		return lookup
	}
	return func(name string) (string, bool) {
		if name == config.WorkspaceVariable {
			return workspace, true
		}
		return lookup(name)
	}
}
