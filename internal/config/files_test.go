package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPathsAreRelativeToTheirOwnConfigFile loads four files in three directories as one configuration.
func TestPathsAreRelativeToTheirOwnConfigFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/base.yaml":    "version: 1\nwarehouse: {dir: here}\nworkspaces:\n  main: {base_url: \"https://api.example.org\", token: \"${file:../token}\"}\n",
		"b/1.yaml":       "models: own/*.sql\npipelines:\n  nightly: {streams: tags, after: pwd}\n",
		"b/2.yaml":       "workspaces:\n  acme: {base_url: \"${file:address}\", token: \"${file:token}\"}\n",
		"b/own/mine.sql": "-- relation: mine (view)\n-- doc: One row per tag.\n-- key: id\n-- column id: Its id.\nSELECT id FROM {schema}.tags\n",
		"b/address":      "https://api.example.com",
		"b/token":        "of-acme",
		"c/3.yaml":       "pipelines:\n  hourly: {streams: teams, workspaces: acme}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := ConfigFiles([]string{filepath.Join(dir, "a/base.yaml"), filepath.Join(dir, "b"), filepath.Join(dir, "c/../c/3.yaml"), filepath.Join(dir, "c")})
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	c, _, err := LoadConfig(files[0], variablesOf(), files[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	if c.Warehouse.Dir != filepath.Join(dir, "a/here") || !slices.Equal(c.WorkspaceNames(), []string{"main", "acme"}) || len(c.Pipelines) != 2 || c.Pipelines[0].Dir != filepath.Join(dir, "b") {
		t.Errorf("%+v %v %+v", c.Warehouse, c.WorkspaceNames(), c.Pipelines)
	}
	if url, token, err := c.Connect("acme", variablesOf()); err != nil || url != "https://api.example.com" || token != "of-acme" {
		t.Error(url, err)
	}
	if last := c.Models[len(c.Models)-1]; last.File != filepath.Join(dir, "b/own/mine.sql") {
		t.Errorf("the last model is of %s", last.File)
	}
}
