package cli

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"aqueduck/load/layout"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/schemas"
)

// load reads the configuration and every stream file, reporting all mistakes at once.
func (env *Env) load() (*config.Config, *schemas.Catalogue, error) {
	return env.loadWith(config.LoadConfig)
}

// loadWith is load by another way of reading.
func (env *Env) loadWith(read func(string, func(string) (string, bool), ...string) (*config.Config, *schemas.Catalogue, error)) (*config.Config, *schemas.Catalogue, error) {
	lookup, err := env.variables()
	if err != nil {
		return nil, nil, err
	}
	files, err := config.ConfigFiles(env.file)
	if err != nil {
		return nil, nil, err
	}
	cfg, catalogue, err := read(files[0], lookup, files[1:]...)
	if err != nil {
		return nil, nil, err
	}
	if env.dir != "" {
		cfg.Warehouse.Dir = env.dir
		if i := slices.IndexFunc(env.flags, func(o config.Origin) bool { return o.Setting == "--dir" }); i >= 0 {
			cfg.Came("warehouse.dir", env.flags[i].From)
		}
	}
	return cfg, catalogue, nil
}

// configured says that there is a configuration, or that one was asked for by name.
func (env *Env) configured() bool {
	return env.configExists() || env.fileNames() != "pipelines.yaml"
}

// configExists says that a configuration is there, as far as its names tell.
func (env *Env) configExists() bool {
	return slices.ContainsFunc(env.file, func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

// fileNames names the configuration as it was named.
func (env *Env) fileNames() string { return strings.Join(env.file, ", ") }

// warehouse is the directory to look into: commands that only look need no configuration when --dir is given.
func (env *Env) warehouse() (layout.Dir, error) {
	if env.dir != "" {
		if _, err := os.Stat(env.dir); errors.Is(err, fs.ErrNotExist) {
			return "", &problem.Problem{Class: "config", What: "there is no directory " + env.dir, Next: "name the warehouse's directory: --dir DIR"}
		}
		return layout.Dir(env.dir), nil
	}
	config, _, err := env.load()
	if err != nil {
		return "", err
	}
	return layout.Dir(config.Warehouse.Dir), nil
}
