package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// loadConfig reads the configuration and every stream file, reporting all mistakes at once.
func (env *Env) loadConfig() (*config.Config, *schemas.Catalogue, error) {
	return env.loadWith(config.LoadConfig)
}

// configReader reads a configuration, as config.LoadConfig does.
type configReader func(string, func(string) (string, bool), ...string) (*config.Config, *schemas.Catalogue, error)

// loadWith is loadConfig with another reader.
func (env *Env) loadWith(read configReader) (*config.Config, *schemas.Catalogue, error) {
	cfg, catalogue, err := env.parseConfig(read)
	if err != nil {
		return nil, nil, err
	}
	if env.dir != "" {
		cfg.Warehouse.Dir = env.dir
		if i := slices.IndexFunc(env.flags, func(o config.Origin) bool { return o.Setting == "--dir" }); i >= 0 {
			cfg.SetProvenance("warehouse.dir", env.flags[i].From)
		}
	}
	return cfg, catalogue, nil
}

// parseConfig reads the files. A child process uses the texts that its parent read.
func (env *Env) parseConfig(read configReader) (*config.Config, *schemas.Catalogue, error) {
	if env.asked != nil {
		return config.LoadTexts(env.asked.Texts, env.lookupWithDotenv(env.asked.Texts.Variables))
	}
	files, err := config.ConfigFiles(env.file)
	if err != nil {
		return nil, nil, err
	}
	kept, err := config.ReadDotenv(filepath.Join(filepath.Dir(files[0]), ".env"))
	if err != nil {
		return nil, nil, err
	}
	cfg, catalogue, err := read(files[0], env.lookupWithDotenv(kept), files[1:]...)
	if err == nil {
		cfg.Texts.Variables = kept
	}
	return cfg, catalogue, err
}

// hasConfig reports whether a configuration exists or was named on the command line.
func (env *Env) hasConfig() bool {
	return env.configExists() || env.fileNames() != "pipelines.yaml"
}

// configExists reports whether one of the named configuration files exists.
func (env *Env) configExists() bool {
	return slices.ContainsFunc(env.file, func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

// fileNames returns the names of the configuration files as they were given.
func (env *Env) fileNames() string {
	var names []string
	for _, name := range env.file {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// giveDir is the next step where something else than a directory is named.
const giveDir = "give the warehouse's directory: --dir DIR"

// refuseFile refuses a file in the place of the warehouse's directory.
func (env *Env) refuseFile(dir string) error {
	if found, err := os.Stat(dir); err != nil || found.IsDir() {
		return nil
	}
	refused := &problem.Problem{Class: "config", What: dir + " is a file, not a directory", Next: giveDir}
	if env.dir == "" {
		refused.Next = "correct warehouse.dir, or " + giveDir
	}
	return refused
}

// warehouseDir returns the directory of the warehouse, and sets its clock. With --dir, commands that only read need no configuration.
func (env *Env) warehouseDir() (dir layout.Dir, err error) {
	defer func() { env.clock.Store(runlog.NewClock(dir, env.Now)) }()
	if env.dir != "" {
		if _, err := os.Stat(env.dir); errors.Is(err, fs.ErrNotExist) {
			return "", &problem.Problem{Class: "config", What: "there is no directory " + env.dir, Next: giveDir}
		}
		return layout.Dir(env.dir), env.refuseFile(env.dir)
	}
	cfg, _, err := env.loadConfig()
	if err != nil {
		return "", err
	}
	// The variable may be part of warehouse.dir: a misspelled name would show an empty warehouse.
	named, _ := env.Lookup(config.WorkspaceVariable)
	for _, name := range strings.FieldsFunc(named, func(r rune) bool { return r == ',' }) {
		if _, err := cfg.ResolveWorkspace(strings.TrimSpace(name)); err != nil {
			return "", fmt.Errorf("read --workspace or AQUEDUCK_WORKSPACE: %w", err)
		}
	}
	return layout.Dir(cfg.Warehouse.Dir), env.refuseFile(cfg.Warehouse.Dir)
}
