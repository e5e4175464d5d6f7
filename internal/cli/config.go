package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/load/layout"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/schemas"
)

// loadConfig reads the configuration and every stream file, reporting all mistakes at once.
func (env *Env) loadConfig() (*config.Config, *schemas.Catalogue, error) {
	return env.loadWith(config.LoadConfig)
}

// configReader is a way of reading a configuration: config.LoadConfig is one.
type configReader func(string, func(string) (string, bool), ...string) (*config.Config, *schemas.Catalogue, error)

// loadWith is load by another way of reading.
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

// parseConfig reads the files, or what the process that wants this one to run read of them.
func (env *Env) parseConfig(read configReader) (*config.Config, *schemas.Catalogue, error) {
	if env.asked != nil {
		return config.LoadTexts(env.asked.Texts, env.lookupWithDotenv(env.asked.Texts.Variables))
	}
	files, err := config.ConfigFiles(env.file)
	if err != nil {
		return nil, nil, err
	}
	kept, err := readEnv(filepath.Join(filepath.Dir(files[0]), ".env"))
	if err != nil {
		return nil, nil, err
	}
	cfg, catalogue, err := read(files[0], env.lookupWithDotenv(kept), files[1:]...)
	if err == nil {
		cfg.Texts.Variables = kept
	}
	return cfg, catalogue, err
}

// hasConfig says that there is a configuration, or that one was asked for by name.
func (env *Env) hasConfig() bool {
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

// warehouseDir is the directory to look into: commands that only look need no configuration when --dir is given.
func (env *Env) warehouseDir() (layout.Dir, error) {
	if env.dir != "" {
		if _, err := os.Stat(env.dir); errors.Is(err, fs.ErrNotExist) {
			return "", &problem.Problem{Class: "config", What: "there is no directory " + env.dir, Next: "give the warehouse's directory: --dir DIR"}
		}
		return layout.Dir(env.dir), nil
	}
	config, _, err := env.loadConfig()
	if err != nil {
		return "", err
	}
	return layout.Dir(config.Warehouse.Dir), nil
}
