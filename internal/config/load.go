package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/alert"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// ConfigFiles returns the files of a configuration: the named ones, and the *.yaml files of named directories in the order of their names. A file
// that is named twice is read once.
func ConfigFiles(names []string) (files []string, err error) {
	const next = "give it, or its directory: -f FILE"
	if len(names) == 0 {
		return nil, &problem.Problem{Class: "usage", What: "no configuration file is given", Next: next}
	}
	for _, name := range names {
		found := []string{filepath.Clean(name)}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if found, err = filesOf(name); err != nil {
				return nil, explainRead(err)
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

// explainRead explains why a file or a directory of the configuration cannot be read.
func explainRead(err error) error {
	if errors.As(err, new(*problem.Problem)) {
		return err
	}
	return &problem.Problem{Class: "config", What: "read the configuration", Err: err, Next: "give a readable file or directory: -f FILE"}
}

// readFiles reads files. Relative paths in a file start at the file's own directory.
func readFiles(names []string, env referenceExpander) (files []grammar.File, err error) {
	for _, name := range names {
		text, err := env.cache.readFile(name)
		if err != nil {
			return nil, err
		}
		env.dir = filepath.Dir(name)
		files = append(files, grammar.File{Name: name, Text: text, Resolve: env.expandText})
	}
	return files, nil
}

// filesOf returns the *.yaml files of a directory without hidden ones, which editors leave behind.
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
		return nil, &problem.Problem{Class: "config", What: "there is no *.yaml file in " + dir, Next: "give a file: -f FILE, or write one: aqueduck init -f " + problem.ShellQuote(filepath.Join(dir, "pipelines.yaml"))}
	}
	return files, nil
}

// LoadConfig reads pipelines.yaml, further files as if they were part of it, and the stream files that they name. lookup resolves variables;
// tokens and addresses are not resolved. All mistakes in the files are returned together, as grammar.Mistakes.
func LoadConfig(file string, lookup func(string) (string, bool), more ...string) (*Config, *schemas.Catalogue, error) {
	names := append([]string{file}, more...)
	return loadConfig(names, referenceExpander{lookup: lookup, cache: newDisk(names)})
}

// CheckConfig is LoadConfig for a machine without the variables and files: it does not check the values that need them.
func CheckConfig(file string, lookup func(string) (string, bool), more ...string) (*Config, *schemas.Catalogue, error) {
	names := append([]string{file}, more...)
	return loadConfig(names, referenceExpander{lookup: lookup, lenient: true, cache: newDisk(names)})
}

// CheckGroup returns LoadConfig for the machine that runs: the group of the readers has to exist. groupHint reports whether it is unknown, and what
// may be meant.
func CheckGroup(groupHint func(group string) (hint string, unknown bool)) func(string, func(string) (string, bool), ...string) (*Config, *schemas.Catalogue, error) {
	return func(file string, lookup func(string) (string, bool), more ...string) (*Config, *schemas.Catalogue, error) {
		names := append([]string{file}, more...)
		return loadConfig(names, referenceExpander{lookup: lookup, cache: newDisk(names), groupHint: groupHint})
	}
}

// LoadTexts is LoadConfig from files that were read before, without reading them again.
func LoadTexts(texts Texts, lookup func(string) (string, bool)) (*Config, *schemas.Catalogue, error) {
	return loadConfig(texts.Names, referenceExpander{lookup: lookup, cache: &fileCache{from: &texts}})
}

func loadConfig(names []string, env referenceExpander) (*Config, *schemas.Catalogue, error) {
	files, err := readFiles(names, env)
	var lacking *fs.PathError
	switch {
	case errors.As(err, &lacking) && errors.Is(err, fs.ErrNotExist):
		return nil, nil, explainMissing(lacking.Path, names)
	case err != nil:
		return nil, nil, explainRead(err)
	}
	l := &configLoader{cache: env.cache, config: &Config{File: strings.Join(names, ", "), Workspaces: map[string]*Workspace{}, settings: map[string]Settings{}, Lookup: env.lookup}}
	spec := l.configSpec()
	root := l.report.ReadAll(files, spec)
	if !root.IsGiven() {
		return nil, nil, l.report.Err() // the file is no YAML document, so nothing else can be checked
	}
	catalogue, err := schemas.Builtin()
	if err != nil {
		return nil, nil, fmt.Errorf("read the built-in streams: %w", err)
	}
	l.catalogue, l.knownStreams = catalogue, catalogue.Names()
	if l.config.Models, err = models.Builtin(); err != nil {
		return nil, nil, fmt.Errorf("read the built-in models: %w", err)
	}
	root.Fill(spec)
	if group := root.Key("warehouse").Key("group"); env.groupHint != nil && group.IsSet() {
		if hint, unknown := env.groupHint(group.Text()); unknown {
			group.Wrong(hint, "this machine has no group %q", group.Text())
		}
	}
	if err := l.report.Err(); err != nil {
		return nil, nil, err
	}
	l.config.Warnings, l.config.origins, l.config.Texts = l.report.Warnings(), collectOrigins(root), env.cache.read
	return l.config, catalogue, nil
}

// explainMissing says what to do about a file that does not exist. Beside another file that does, init would write over that one, or have a second time
// what it has.
func explainMissing(file string, names []string) error {
	for _, name := range names {
		if _, err := os.Stat(name); err == nil {
			return &problem.Problem{Class: "config", What: "there is no configuration file " + file + ", which -f names beside others", Next: "correct its name, or omit -f " + problem.ShellQuote(file)}
		}
	}
	return &problem.Problem{Class: "config", What: "there is no configuration file " + file, Next: "change to its directory, give it with -f FILE, or write a new one: aqueduck init" + fileFlag(file)}
}

// fileFlag is the flag that names a file for init, if it is not the default.
func fileFlag(file string) string {
	if file == "pipelines.yaml" || filepath.Ext(file) == "" {
		return ""
	}
	return " -f " + problem.ShellQuote(file)
}

// takeStreamFiles adds the user's streams to the catalogue.
func (l *configLoader) takeStreamFiles(v *grammar.Value) {
	var files []schemas.File
	l.readMatchingFiles(v, "stream", "create one: aqueduck streams new GET /path > streams/NAME.yaml", func(name string, text []byte) {
		files = append(files, schemas.File{Name: name, Text: text, Dir: cachedDirectory{l.cache, filepath.Dir(name)}, Private: l.report.IsPrivate(name)})
		l.knownStreams = append(l.knownStreams, schemas.DeclaredName(text))
	})
	if err := l.catalogue.AddFiles(files...); err != nil {
		v.Report(err)
	}
	for _, s := range l.catalogue.Streams() {
		if s.BuiltIn {
			continue
		}
		for _, query := range l.catalogue.Queries(s) {
			if query.Private {
				l.report.Hide(query.File)
			}
			for _, source := range query.Sources() {
				l.warnOfDeprecated(v, source)
			}
		}
	}
}

// readMatchingFiles calls take once for each file that a list of names and patterns matches. A file has one of what; create says how to make it.
func (l *configLoader) readMatchingFiles(v *grammar.Value, what, create string, take func(name string, text []byte)) {
	seen := map[string]bool{}
	for _, pattern := range v.Items() {
		names, err := l.cache.globFiles(resolvePath(pattern, pattern.Text()))
		if err != nil || len(names) == 0 {
			remove := v.Path()
			if len(v.Items()) > 1 {
				remove = "this pattern"
			}
			pattern.Wrong(create+", or remove "+remove, "no file matches %q", pattern.Text())
		}
		for _, name := range names {
			text, err := l.cache.readFile(name)
			if err != nil {
				pattern.Wrong("", "read the file: %v", err)
				continue
			}
			if inside, err := filepath.Rel(filepath.Dir(v.FileName()), name); err != nil || !filepath.IsLocal(inside) {
				l.report.Hide(name)
			}
			// A command may redirect its output to a stream file while it reads this configuration: the shell has just made the file, empty.
			switch {
			case seen[name]:
			case len(text) == 0:
				pattern.Warn("write a "+what+" into it, or remove the file", "%s is empty", name)
			default:
				take(name, text)
			}
			seen[name] = true
		}
	}
}

// resolvePath returns the path that a value names, relative to the directory of the value's file.
func resolvePath(v *grammar.Value, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(v.FileName()), name)
}

func (l *configLoader) takeWorkspaces(v *grammar.Value) {
	c := l.config
	for _, e := range v.Entries() {
		w := &workspaceEntry{Workspace: Workspace{Name: e.Name, dir: filepath.Dir(e.Value.FileName())}, value: e.Value}
		e.Value.Fill(w.workspaceSpec())
		w.Budget = api.NewBudget(w.RequestsPerMinute)
		c.Workspaces[e.Name] = &w.Workspace
		c.NameList = append(c.NameList, e.Name)
	}
}

func (l *configLoader) takePipelines(v *grammar.Value) {
	zone, err := time.LoadLocation(l.config.Warehouse.Timezone)
	if err != nil {
		zone = time.UTC // the grammar has reported it already
	}
	var entries []*pipelineEntry
	for _, e := range v.Entries() {
		p := &pipelineEntry{Pipeline: Pipeline{Name: e.Name, Dir: filepath.Dir(e.Value.FileName())}, configLoader: l, zone: zone}
		e.Value.Fill(p.pipelineSpec())
		p.selectStreams()
		l.config.Pipelines = append(l.config.Pipelines, &p.Pipeline)
		entries = append(entries, p)
	}
	for _, p := range entries {
		p.warnOfParents()
	}
}

func (l *configLoader) takeAlerts(v *grammar.Value) {
	for _, e := range v.Entries() {
		a := &alertEntry{alertConfig: alertConfig{Target: alert.Target{Name: e.Name}, dir: filepath.Dir(e.Value.FileName())}, configLoader: l}
		e.Value.Fill(a.alertSpec())
		if !a.addressed && !e.Value.HasRefusedKeys() {
			e.Value.WrongKey("", "%s has neither ping nor webhook", e.Value.Path())
		}
		l.config.AlertConfigs = append(l.config.AlertConfigs, a.alertConfig)
	}
}

// takeSettings applies settings to the streams that their patterns match; an entry with a stream's own name comes last and has precedence. A
// stream that is read along with another one gets its settings too, because both contain the same personal data.
func (l *configLoader) takeSettings(v *grammar.Value) {
	entries := slices.Clone(v.Entries())
	slices.SortStableFunc(entries, func(a, b grammar.Entry) int { return PatternRank(a.Name) - PatternRank(b.Name) })
	for _, e := range entries {
		s := l.settingsEntry(e)
		e.Value.Fill(s.streamSettingsSpec())
		if len(s.datasets.families) > 0 {
			l.config.datasets = append(l.config.datasets, s.datasets)
		}
	}
}
