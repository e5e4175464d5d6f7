package cli

import (
	"path/filepath"

	"aqueduck/internal/config"
)

// loadVariables returns a function that finds the variables of the configuration: in the environment, then in .env beside its first file.
func (env *Env) loadVariables() (func(string) (string, bool), error) {
	files, err := config.ConfigFiles(env.file)
	if err != nil {
		return nil, err
	}
	kept, err := config.ReadDotenv(filepath.Join(filepath.Dir(files[0]), ".env"))
	if err != nil {
		return nil, err
	}
	return env.lookupWithDotenv(kept), nil
}

// lookupWithDotenv returns a function that finds a variable: in the environment, then among those of .env. The variable of --workspace is not
// taken from .env: there it would name a directory, and the run would read every workspace into it.
func (env *Env) lookupWithDotenv(kept map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if value, ok := env.Lookup(name); ok && value != "" {
			return value, true
		}
		if value, ok := kept[name]; ok && name != config.WorkspaceVariable {
			return value, true
		}
		return env.Lookup(name)
	}
}
