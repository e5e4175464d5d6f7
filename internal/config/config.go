package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/alert"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/schedule"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// Config is pipelines.yaml, read and checked. Nothing in it is secret: tokens are looked up when a run connects.
type Config struct {
	File       string // its name, or those of all files that it is read from
	Warehouse  Warehouse
	Workspaces map[string]*Workspace // by name, which is the schema of their tables
	Pipelines  []*Pipeline           // in the file's order
	Warnings   grammar.Mistakes      // what is read all the same, and may not be meant

	Lookup func(string) (string, bool) // the variables that it was read with
	Texts  Texts                       // what it was read from; nothing where that was Texts

	AlertConfigs []alertConfig       // who is told
	Models       []schemas.Relation  // the program's and the user's own
	settings     map[string]Settings // by stream
	datasets     []datasetSettings   // of the streams that families of exports stand for; what counts more comes later
	NameList     []string            // of workspaces, in the file's order
	origins      []Origin            // of all its values
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
	Office models.Office
}

// Workspace is one source; its name is the schema of its tables.
type Workspace struct {
	Name              string
	APIVersion        string
	VersionHeader     string
	RequestsPerMinute int      // 0: learned from the answers
	DownloadHosts     []string // where files may lie, beside the API's own site

	baseURL, Token string      // as the file has them: ${VAR} or ${file:…}
	dir            string      // that relative files are from
	Budget         *api.Budget // of all pipelines that read it
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
	CatchUp     bool               // a time of the schedule that was missed is made up for
	Retry       bool               // a run of the schedule that failed for what heals by itself is tried again
	Overlap     schedule.Overlap
	Jitter      time.Duration // a start is put off by up to so much, drawn for each
	After       []string      // commands for the shell, once changed data is published
	Dir         string        // that they run in
	WarnAfter   time.Duration // a stream that was last read well longer ago is late; 0: by the schedule
	ErrorAfter  time.Duration // and breached; 0: by the schedule

	workspaces []string // none: all
	Datasets   []string // names and patterns of the datasets of families
}

// Workspaces names the workspaces that the pipeline reads.
func (p *Pipeline) Workspaces(c *Config) []string {
	if len(p.workspaces) == 0 {
		return c.WorkspaceNames()
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

// ResolveWorkspace gives the name of a workspace of the configuration: the first, when none is asked for.
func (c *Config) ResolveWorkspace(name string) (string, error) {
	if name == "" {
		return c.NameList[0], nil
	}
	if !slices.Contains(c.NameList, name) {
		return "", &problem.Problem{Class: "config", What: fmt.Sprintf("there is no workspace %q", name), Next: "the configuration has " + strings.Join(c.NameList, ", ")}
	}
	return name, nil
}

// WorkspaceNames are the workspaces of the configuration, in its order.
func (c *Config) WorkspaceNames() []string { return slices.Clone(c.NameList) }

// pipelineNames are the pipelines of the configuration, in its order.
func (c *Config) pipelineNames() (names []string) {
	for _, p := range c.Pipelines {
		names = append(names, p.Name)
	}
	return names
}

// configLoader is what reading one configuration needs.
type configLoader struct {
	config       *Config
	report       grammar.Report
	catalogue    *schemas.Catalogue
	cache        *fileCache
	knownStreams []string // streams, those of broken files too: what is wrong with them is said there
}

// alertConfig is one place to tell, as the file has it.
type alertConfig struct {
	alert.Target // but for its addresses

	Ping, Webhook string // ${VAR}, ${file:…} or the address itself
	dir           string // that relative files are from
}

// alertEntry is an alert while its keys are taken.
type alertEntry struct {
	alertConfig
	*configLoader
	addressed bool // it has an address, however wrong
}

// workspaceEntry is a workspace while its keys are taken.
type workspaceEntry struct {
	Workspace
	value, address *grammar.Value // of all its keys, and of base_url
}

// pipelineEntry is a pipeline while its keys are taken.
type pipelineEntry struct {
	Pipeline
	*configLoader
	zone     *time.Location
	patterns *grammar.Value // of streams: looked up once the workspaces are known
}

// settingsEntry is what is said of the streams of one name or pattern, while its keys are taken.
type settingsEntry struct {
	*configLoader
	names    []string          // those that it means
	streams  []*schemas.Stream // those, and those that are read along with them; no families
	datasets datasetSettings   // of families among them, if any
}

// referenceExpander puts variables and files into texts of the configuration.
type referenceExpander struct {
	lookup  func(string) (string, bool)
	dir     string     // that relative files are from
	secret  bool       // files must be for their owner only
	lenient bool       // a variable or file that is not there is grammar.ErrUnknown
	cache   *fileCache // what files are read from
}

// textPiece is a part of a text of the configuration: letters, or a variable or file that stands for some.
type textPiece struct {
	text         string // as it is; of a reference the name of the variable, or file:path
	reference    bool
	defaultValue string // the default of a variable
	hasDefault   bool
}

// datasetSettings are those of the datasets that a name or pattern means.
type datasetSettings struct {
	pattern  string
	families []string
	settings Settings
}

// Origin says where a value of the configuration comes from, and not what it is.
type Origin struct {
	Setting string `json:"setting"` // its place in the file: pipelines.nightly.max_time; or a flag: --max-time
	From    string `json:"from"`    // file and line with the variables or files it is written with; default; the flag, or its variable

	File      string     `json:"-"` // that it is in, or would be
	Variables []Variable `json:"-"` // that it is written with
}

// Variable is a variable that a value of the configuration is written with.
type Variable struct {
	Name    string
	Default bool // it has one
}
