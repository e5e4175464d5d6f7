package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/schedule"
	"aqueduck/schemas"
)

// ConfigFiles are the files that a configuration is read from: those that are named, and of a directory its *.yaml files in the order of
// their names. One that is there twice is read once.
func ConfigFiles(names []string) (files []string, err error) {
	const next = "name it, or the directory that has it: -f FILE"
	if len(names) == 0 {
		return nil, &problem.Problem{Class: "config", What: "no configuration is named", Next: next}
	}
	for _, name := range names {
		found := []string{filepath.Clean(name)}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if found, err = filesOf(name); err != nil {
				return nil, &problem.Problem{Class: "config", What: "read the configuration", Err: err, Next: next}
			}
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, nil
}

// readFiles reads files whose paths are from their own directories.
func readFiles(names []string, env expander) (files []grammar.File, err error) {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		env.dir = filepath.Dir(name)
		files = append(files, grammar.File{Name: name, Text: text, Resolve: env.expand})
	}
	return files, nil
}

// filesOf are the *.yaml files of a directory, but for hidden ones: editors have such.
func filesOf(dir string) (files []string, err error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range all {
		if name := entry.Name(); !entry.IsDir() && filepath.Ext(name) == ".yaml" && name[0] != '.' {
			files = append(files, filepath.Join(dir, name))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no *.yaml", dir)
	}
	return files, nil
}

// LoadConfig reads pipelines.yaml, and more files as if they were one with it, and the stream files they name. The lookup gives the value
// of a variable; tokens and addresses are not looked up. What is wrong with the files comes back as grammar.Mistakes, all at once.
func LoadConfig(file string, lookup func(string) (string, bool), more ...string) (*Config, *schemas.Catalogue, error) {
	return loadConfig(append([]string{file}, more...), expander{lookup: lookup})
}

// CheckConfig is LoadConfig for a machine that has not the variables and files: a value that needs one is not checked.
func CheckConfig(file string, lookup func(string) (string, bool), more ...string) (*Config, *schemas.Catalogue, error) {
	return loadConfig(append([]string{file}, more...), expander{lookup: lookup, lenient: true})
}

func loadConfig(names []string, env expander) (*Config, *schemas.Catalogue, error) {
	files, err := readFiles(names, env)
	var lacking *fs.PathError
	switch {
	case errors.As(err, &lacking) && errors.Is(err, fs.ErrNotExist):
		return nil, nil, &problem.Problem{Class: "config", What: "there is no " + lacking.Path, Next: "go to the directory that has it, or name it: -f FILE"}
	case err != nil:
		return nil, nil, &problem.Problem{Class: "config", What: "read the configuration", Err: err, Next: "name a file that can be read: -f FILE"}
	}
	l := &loader{}
	root := l.report.ReadAll(files, ConfigSpec())
	if !root.Given() {
		return nil, nil, l.report.Err() // no document: there is nothing more to find
	}
	catalogue, err := schemas.Builtin()
	if err != nil {
		return nil, nil, fmt.Errorf("read the built-in streams: %w", err)
	}
	l.catalogue, l.known = catalogue, catalogue.Names()
	l.streamFiles(root.Key("stream_files"))
	c := l.config(strings.Join(names, ", "), root)
	if c.Models, err = l.models(root.Key("models")); err != nil {
		return nil, nil, err
	}
	if err := l.report.Err(); err != nil {
		return nil, nil, err
	}
	c.Warnings, c.Lookup, c.origins = l.report.Warnings(), env.lookup, origins(root)
	return c, catalogue, nil
}

// streamFiles adds the user's own streams to the catalogue.
func (l *loader) streamFiles(v *grammar.Value) {
	var files []schemas.File
	l.files(v, func(name string, text []byte) {
		files = append(files, schemas.File{Name: name, Text: text, Dir: os.DirFS(filepath.Dir(name))})
		l.known = append(l.known, schemas.Declared(text))
	})
	if err := l.catalogue.AddFiles(files...); err != nil {
		v.Report(err)
	}
}

// files reads each file that a list of names and patterns means, once.
func (l *loader) files(v *grammar.Value, take func(name string, text []byte)) {
	seen := map[string]bool{}
	for _, pattern := range v.Items() {
		names, err := filepath.Glob(from(pattern, pattern.Text()))
		if err != nil || len(names) == 0 {
			pattern.Wrong("", "no file matches %q", pattern.Text())
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				pattern.Wrong("", "read the file: %v", err)
				continue
			}
			if inside, err := filepath.Rel(filepath.Dir(v.File()), name); err != nil || !filepath.IsLocal(inside) {
				l.report.Hide(name)
			}
			// A file without a word is one that a shell has just made, for a command that reads this configuration to fill.
			if len(text) > 0 && !seen[name] {
				take(name, text)
			}
			seen[name] = true
		}
	}
}

// from is a path that a value names as the program opens it: from the directory of the value's file.
func from(v *grammar.Value, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(v.File()), name)
}

func (l *loader) config(file string, root *grammar.Value) *Config {
	warehouse := root.Key("warehouse")
	c := &Config{File: file, Workspaces: map[string]*Workspace{}, settings: map[string]Settings{}}
	c.Warehouse.Dir = from(warehouse.Key("dir"), warehouse.Key("dir").Text())
	c.Warehouse.Timezone = warehouse.Key("timezone").Text()
	c.Warehouse.Memory, _ = grammar.Memory(warehouse.Key("memory").Text())
	c.Warehouse.Publish.First = warehouse.Key("publish").Key("first").Duration()
	c.Warehouse.Publish.Every = warehouse.Key("publish").Key("every").Duration()
	c.Warehouse.Publish.Keep = warehouse.Key("publish").Key("keep").Int()
	c.Warehouse.Office = office(warehouse)
	c.Warehouse.Publish.MaxLoss, _ = percentage(warehouse.Key("publish").Key("max_loss").Text())
	for _, e := range root.Key("workspaces").Entries() {
		c.Workspaces[e.Name] = l.workspace(e.Name, e.Value)
		c.NameList = append(c.NameList, e.Name)
	}
	zone, err := time.LoadLocation(c.Warehouse.Timezone)
	if err != nil {
		zone = time.UTC // the grammar has refused it already
	}
	for _, e := range root.Key("pipelines").Entries() {
		c.Pipelines = append(c.Pipelines, l.pipeline(c, e.Name, e.Value, zone))
	}
	for _, e := range root.Key("alerts").Entries() {
		c.AlertConfigs = append(c.AlertConfigs, l.alert(c, e.Name, e.Value))
	}
	l.settings(c, root.Key("streams"))
	return c
}

func (l *loader) pipeline(c *Config, name string, v *grammar.Value, zone *time.Location) *Pipeline {
	p := &Pipeline{
		Name: name, MaxTime: v.Key("max_time").Duration(), MaxRequests: int64(v.Key("max_requests").Int()),
		CatchUp: v.Key("catch_up").Text() == "one", Retry: v.Key("retry").Text() == "later", Jitter: v.Key("jitter").Duration(), workspaces: v.Key("workspaces").Texts(), After: v.Key("after").Texts(), Dir: filepath.Dir(v.File()),
	}
	p.WarnAfter, p.ErrorAfter = v.Key("freshness").Key("warn_after").Duration(), v.Key("freshness").Key("error_after").Duration()
	if e := v.Key("freshness").Key("error_after"); e.Set() && p.ErrorAfter < p.WarnAfter {
		e.Wrong("", "error_after is less than warn_after")
	}
	if v.Key("overlap").Text() == "queue" {
		p.Overlap = schedule.Queue
	}
	p.Schedule = l.schedule(v.Key("schedule"), zone)
	for _, w := range v.Key("workspaces").Items() {
		if !slices.Contains(c.NameList, w.Text()) {
			w.Wrong(grammar.DidYouMean(w.Text(), c.NameList), "no workspace %q", w.Text())
		}
	}
	streams := v.Key("streams")
	for _, pattern := range streams.Items() {
		for _, name := range l.streams(pattern.Text(), pattern.Wrong) {
			if !slices.Contains(p.Streams, name) {
				p.Streams = append(p.Streams, name)
			}
		}
		l.versions(c, p, pattern)
		if len(l.families(pattern.Text())) > 0 {
			p.Datasets = append(p.Datasets, pattern.Text())
		}
	}
	return p
}

// streams are those that a name or pattern means; none is a mistake.
func (l *loader) streams(pattern string, wrong func(hint, format string, args ...any)) []string {
	if !strings.ContainsAny(pattern, `*?[\`) {
		if slices.Contains(l.known, pattern) {
			return []string{pattern}
		}
		if families := l.families(pattern); len(families) > 0 {
			return families
		}
		wrong(grammar.DidYouMean(pattern, l.catalogue.Names()), "no stream %q", pattern)
		return nil
	}
	var all []string
	for _, name := range l.known {
		if ok, err := path.Match(pattern, name); err == nil && ok {
			all = append(all, name)
		}
	}
	for _, family := range l.families(pattern) {
		if !slices.Contains(all, family) {
			all = append(all, family)
		}
	}
	if len(all) == 0 {
		wrong("known: "+strings.Join(l.catalogue.Names(), ", "), "no stream matches %q", pattern)
	}
	return all
}
