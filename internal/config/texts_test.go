package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConfigIsLoadedFromKeptTexts removes all files of a configuration first: of a directory, of patterns, SQL beside a stream file, and
// one that a value refers to.
func TestConfigIsLoadedFromKeptTexts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "home")
	for name, text := range map[string]string{
		"pipelines.yaml": "version: 1\nwarehouse: {dir: \"${file:where}\"}\nworkspaces:\n  main: {base_url: emulator}\npipelines:\n  nightly: {streams: own}\n" +
			"models: [models/*.sql]\nstream_files: [streams/*.yaml]\n",
		"where":           "data-${ZONE}",
		"models/mine.sql": "-- relation: mine (view)\n-- doc: One row per tag.\n-- key: id\n-- column id: Its id.\nSELECT id FROM {schema}.tags\n",
		"streams/own.yaml": "stream: own\ndoc: One row per note.\nread: {endpoint: \"GET /contacts/{id}/notes\", records: data, page: {by: none}, since: {by: full}, over: {view: own.sql, after: [contacts]}}\n" +
			"key: [id]\ncolumns: [{name: id, type: text, doc: Id.}]\n",
		"streams/own.sql": "SELECT id FROM {schema}.contacts_raw",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	told := func(c *Config, sql string) []any {
		var models []string
		for _, m := range c.Models {
			models = append(models, m.Name+" "+m.SQL)
		}
		return []any{c.File, c.Warehouse, c.Pipelines[0].Streams, models, sql}
	}
	c, catalogue, err := LoadConfig(filepath.Join(dir, "pipelines.yaml"), variablesOf())
	if err != nil {
		t.Fatal(err)
	}
	own, _ := catalogue.Stream("own")
	want := told(c, own.Read.Over.SQL)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, catalogue, err := LoadTexts(c.Texts, variablesOf())
	if err != nil {
		t.Fatal(err)
	}
	own, _ = catalogue.Stream("own")
	if diff := cmp.Diff(want, told(again, own.Read.Over.SQL)); diff != "" {
		t.Errorf("it is another one (-want +got):\n%s", diff)
	}
}
