package pipeline

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

	"aqueduck/extract"
	"aqueduck/internal/grammar"
	"aqueduck/internal/schedule"
	"aqueduck/load/publish"
	"aqueduck/schemas"
)

// Config is pipelines.yaml, read and checked. Nothing in it is secret: tokens are looked up when a run connects.
type Config struct {
	File       string // its name, or those of all files that it is read from
	Warehouse  Warehouse
	Workspaces map[string]*Workspace
	Pipelines  []*Pipeline      // in the file's order
	Warnings   grammar.Mistakes // what is read all the same, and may not be meant

	Lookup func(string) (string, bool) // the variables that it was read with

	alerts   []alertConfig       // who is told
	models   []schemas.Relation  // the program's and the user's own
	settings map[string]Settings // by stream
	datasets []datasetSettings   // of the streams that families of exports stand for; what counts more comes later
	names    []string            // of workspaces, in the file's order
	origins  []Origin            // of all its values
}

// Warehouse is where the data goes.
type Warehouse struct {
	Dir      string // relative to the working directory, or absolute
	Timezone string
	Memory   int64 // bytes that DuckDB may use
	Publish  struct {
		First   time.Duration // after a run's start, before its history is read to the end
		Every   time.Duration
		Keep    int
		MaxLoss float64 // share of a table's rows that readers may lose at once
	}
	Office publish.Office
}

// Workspace is one source; its name is the schema of its tables.
type Workspace struct {
	Name              string
	APIVersion        string
	VersionHeader     string
	RequestsPerMinute int      // 0: learned from the answers
	DownloadHosts     []string // where files may lie, beside the API's own site

	baseURL, token string          // as the file has them: ${VAR} or ${file:…}
	dir            string          // that relative files are from
	budget         *extract.Budget // of all pipelines that read it
}

// Settings is what the configuration wants different from a stream's file.
type Settings struct {
	Start      time.Time     // zero: history is read to the beginning
	Refresh    time.Duration // of exports: how far back they are read again each day
	Hash, Drop []string
	OnChange   string   // freeze, evolve, fail; "" is freeze
	KeepErased []string // columns that stay when a person is erased

	LeftOutEmpty bool // a list or an object that an answer leaves out is empty
}

// Pipeline is what is read together, and when.
type Pipeline struct {
	Name        string
	Schedule    *schedule.Schedule // nil: by hand only
	Streams     []string           // names, patterns put in
	MaxTime     time.Duration      // a run ends after it
	MaxRequests int64              // a run ends after so many
	CatchUp     bool
	Retry       bool // a run of the schedule that failed for what heals by itself is tried again
	Overlap     schedule.Overlap
	Jitter      time.Duration
	After       []string      // commands for the shell, once changed data is published
	dir         string        // that they run in
	WarnAfter   time.Duration // a stream that was last read well longer ago is late; 0: by the schedule
	ErrorAfter  time.Duration // and breached; 0: by the schedule

	workspaces []string // none: all
	datasets   []string // names and patterns of the datasets of families
}

// Workspaces names the workspaces that the pipeline reads.
func (p *Pipeline) Workspaces(c *Config) []string {
	if len(p.workspaces) == 0 {
		return c.Names()
	}
	return slices.Clone(p.workspaces)
}

// Pipeline gives the pipeline of a name.
func (c *Config) Pipeline(name string) (*Pipeline, bool) {
	i := slices.IndexFunc(c.Pipelines, func(p *Pipeline) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return c.Pipelines[i], true
}

// Workspace gives the name of a workspace of the configuration: the first, when none is asked for.
func (c *Config) Workspace(name string) (string, error) {
	if name == "" {
		return c.names[0], nil
	}
	if !slices.Contains(c.names, name) {
		return "", &Problem{Class: "config", What: fmt.Sprintf("there is no workspace %q", name), Next: "the configuration has " + strings.Join(c.names, ", ")}
	}
	return name, nil
}

// Names are the workspaces of the configuration, in its order.
func (c *Config) Names() []string { return slices.Clone(c.names) }

// ConfigFiles are the files that a configuration is read from: those that are named, and of a directory its *.yaml files in the order of
// their names. One that is there twice is read once.
func ConfigFiles(names []string) (files []string, err error) {
	const next = "name it, or the directory that has it: -f FILE"
	if len(names) == 0 {
		return nil, &Problem{Class: "config", What: "no configuration is named", Next: next}
	}
	for _, name := range names {
		found := []string{filepath.Clean(name)}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if found, err = filesOf(name); err != nil {
				return nil, &Problem{Class: "config", What: "read the configuration", Err: err, Next: next}
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
		return nil, nil, &Problem{Class: "config", What: "there is no " + lacking.Path, Next: "go to the directory that has it, or name it: -f FILE"}
	case err != nil:
		return nil, nil, &Problem{Class: "config", What: "read the configuration", Err: err, Next: "name a file that can be read: -f FILE"}
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
	if c.models, err = l.models(root.Key("models")); err != nil {
		return nil, nil, err
	}
	if err := l.report.Err(); err != nil {
		return nil, nil, err
	}
	c.Warnings, c.Lookup, c.origins = l.report.Warnings(), env.lookup, origins(root)
	return c, catalogue, nil
}

// loader is what reading one configuration needs.
type loader struct {
	report    grammar.Report
	catalogue *schemas.Catalogue
	known     []string // streams, those of broken files too: what is wrong with them is said there
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
		c.names = append(c.names, e.Name)
	}
	zone, err := time.LoadLocation(c.Warehouse.Timezone)
	if err != nil {
		zone = time.UTC // the grammar has refused it already
	}
	for _, e := range root.Key("pipelines").Entries() {
		c.Pipelines = append(c.Pipelines, l.pipeline(c, e.Name, e.Value, zone))
	}
	for _, e := range root.Key("alerts").Entries() {
		c.alerts = append(c.alerts, l.alert(c, e.Name, e.Value))
	}
	l.settings(c, root.Key("streams"))
	return c
}

func (l *loader) pipeline(c *Config, name string, v *grammar.Value, zone *time.Location) *Pipeline {
	p := &Pipeline{
		Name: name, MaxTime: v.Key("max_time").Duration(), MaxRequests: int64(v.Key("max_requests").Int()),
		CatchUp: v.Key("catch_up").Text() == "one", Retry: v.Key("retry").Text() == "later", Jitter: v.Key("jitter").Duration(), workspaces: v.Key("workspaces").Texts(), After: v.Key("after").Texts(), dir: filepath.Dir(v.File()),
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
		if !slices.Contains(c.names, w.Text()) {
			w.Wrong(grammar.DidYouMean(w.Text(), c.names), "no workspace %q", w.Text())
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
			p.datasets = append(p.datasets, pattern.Text())
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
