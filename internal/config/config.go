package config

import (
	"fmt"
	"io/fs"
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

// Config is pipelines.yaml, read and checked. It contains no secrets: tokens are resolved when a run connects.
type Config struct {
	File       string // name of the file, or of all files
	Warehouse  Warehouse
	Workspaces map[string]*Workspace // by name, which is also the schema of the workspace's tables
	Pipelines  []*Pipeline           // in the file's order
	Warnings   grammar.Mistakes      // accepted, but perhaps not what was meant

	Lookup func(string) (string, bool) // resolves the variables of the environment
	Texts  Texts                       // the files that it was read from; empty when it was read from Texts

	AlertConfigs []alertConfig       // the targets of alerts
	Models       []schemas.Relation  // the built-in models and the user's
	Pinned       []string            // saved queries of the console's page with questions; nil: its own choice
	Compat       string              // the program whose tables are shown as views; "": none
	settings     map[string]Settings // by stream
	personal     string              // how personal columns are masked: maskHash, maskDrop; "": only those under streams
	datasets     []datasetSettings   // settings of datasets, whose streams only the source knows; later entries have precedence
	NameList     []string            // names of workspaces, in the file's order
	origins      []Origin            // where each value comes from
}

// Warehouse is where the data is stored, and how it is published.
type Warehouse struct {
	Dir      string // relative to the working directory, or absolute
	Timezone string
	Memory   int64 // bytes that DuckDB may use
	Publish  struct {
		First   time.Duration // after a run's start, while its history is still being read
		Every   time.Duration
		Keep    int
		MaxLoss float64 // share of a table's rows that one publish may lose
	}
	Parquet struct {
		None  bool
		Every time.Duration // at most; 0: each publish writes them
	}
	Remote  string // place in an object store, s3://bucket/prefix; "": none
	Mirror  Mirror
	Readers Readers
	Office  models.Office
}

// Mirror is where Apache Iceberg tables are made equal to the published file.
type Mirror struct {
	Catalog  string // postgres://HOST:PORT/DATABASE, rest:https://HOST/PATH, or sqlite:PATH, relative to the working directory, or absolute; "": mirror.db in the directory of the warehouse
	Location string // s3://bucket/prefix; "": there is no mirror
}

// Readers is who may read the published files and the lake, besides their owner.
type Readers struct {
	Group string      // name or number; "": the directory keeps its group
	Mode  fs.FileMode // of files: 0o600, 0o640 or 0o644; 0: the directory keeps its mode
}

// Workspace is one source; its name is the schema of its tables.
type Workspace struct {
	Name              string
	APIVersion        string
	VersionHeader     string
	RequestsPerMinute int      // 0: learned from the API's answers
	DownloadHosts     []string // hosts besides the API's that export files may be on

	baseURL, Token string      // as written in the file: ${VAR} or ${file:…}
	dir            string      // the directory of relative paths
	Budget         *api.Budget // shared by all pipelines that read the workspace
}

// Settings are the settings of one stream that differ from its stream file.
type Settings struct {
	Start      time.Time     // zero: the history is read to its beginning
	Refresh    time.Duration // of exports: how far back days are read again each day
	Hash, Drop []string
	OnChange   string   // freeze, evolve or fail; "" means freeze
	KeepErased []string // columns that keep their values when a person is erased

	LeftOutEmpty bool // a list or an object that a record leaves out counts as empty
}

// Pipeline is a set of streams that are read together, and when.
type Pipeline struct {
	Name        string
	Schedule    *schedule.Schedule // nil: by hand only
	Streams     []string           // names, with patterns resolved
	MaxTime     time.Duration      // a run ends after this time; 0: no limit
	MaxRequests int64              // a run ends after so many; 0: no limit
	CatchUp     bool               // a missed scheduled time gets a catch-up run
	Retry       bool               // a scheduled run that failed for a passing reason gets a retry
	Overlap     schedule.Overlap
	Jitter      time.Duration // each start is delayed by a random time up to this
	After       []string      // shell commands to run after changed data was published
	Dir         string        // the directory in which they run
	WarnAfter   time.Duration // a stream that was last read longer ago is late; 0: by the schedule
	ErrorAfter  time.Duration // and breached after this; 0: by the schedule

	workspaces []string // empty: all
	Datasets   []string // names and patterns of datasets
	Families   []string // those of Streams that stand for their datasets, such as reporting
}

// Workspaces returns the names of the workspaces that the pipeline reads.
func (p *Pipeline) Workspaces(c *Config) []string {
	if len(p.workspaces) == 0 {
		return c.WorkspaceNames()
	}
	return slices.Clone(p.workspaces)
}

// Narrow returns the pipeline with only those of its workspaces that are named; nil if it reads none of them.
func (p *Pipeline) Narrow(c *Config, workspaces []string) *Pipeline {
	narrow := *p
	narrow.workspaces = slices.DeleteFunc(p.Workspaces(c), func(name string) bool { return !slices.Contains(workspaces, name) })
	if len(narrow.workspaces) == 0 {
		return nil
	}
	return &narrow
}

// Read returns the names of the streams that some pipeline reads; with false, of those that none reads. A pipeline reads the streams that it
// names, those that are read together with them, and an export whose dataset it names.
func (c *Config) Read(catalogue *schemas.Catalogue, read bool) (names []string) {
	for _, s := range catalogue.Streams() {
		named := slices.ContainsFunc(c.Pipelines, func(p *Pipeline) bool {
			return slices.ContainsFunc(p.Streams, func(name string) bool {
				return name == s.Name || name == s.With || s.IsExportFamily() && strings.HasPrefix(name, s.Name+"_")
			})
		})
		if named == read {
			names = append(names, s.Name)
		}
	}
	return names
}

// Pipeline returns the pipeline with a name.
func (c *Config) Pipeline(name string) (*Pipeline, bool) {
	i := slices.IndexFunc(c.Pipelines, func(p *Pipeline) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return c.Pipelines[i], true
}

// ResolveWorkspace checks the name of a workspace; "" means the first workspace. An unknown name is an error.
func (c *Config) ResolveWorkspace(name string) (string, error) {
	if name == "" {
		return c.NameList[0], nil
	}
	if !slices.Contains(c.NameList, name) {
		return "", &problem.Problem{Class: "usage", What: fmt.Sprintf("there is no workspace %q", name), Next: grammar.ChooseFrom(name, c.NameList, "aqueduck check")}
	}
	return name, nil
}

// WorkspaceNames returns the names of the workspaces, in the file's order.
func (c *Config) WorkspaceNames() []string { return slices.Clone(c.NameList) }

// pipelineNames returns the names of the pipelines, in the file's order.
func (c *Config) pipelineNames() (names []string) {
	for _, p := range c.Pipelines {
		names = append(names, p.Name)
	}
	return names
}

// configLoader holds the state of loading one configuration.
type configLoader struct {
	config       *Config
	report       grammar.Report
	catalogue    *schemas.Catalogue
	cache        *fileCache
	knownStreams []string // all streams, also of stream files with mistakes, which are reported for those files
}

// alertConfig is one target of alerts, as the file has it.
type alertConfig struct {
	alert.Target // without its addresses

	Ping, Webhook string // ${VAR}, ${file:…} or the address itself
	dir           string // the directory of relative paths
}

// alertEntry is an alert while its keys are read.
type alertEntry struct {
	alertConfig
	*configLoader
	addressed bool // an address was given, valid or not
}

// workspaceEntry is a workspace while its keys are read.
type workspaceEntry struct {
	Workspace
	value, address *grammar.Value // the nodes of the workspace and of its base_url
}

// pipelineEntry is a pipeline while its keys are read.
type pipelineEntry struct {
	Pipeline
	*configLoader
	zone     *time.Location
	patterns *grammar.Value // of streams: resolved once the workspaces are known
}

// settingsEntry is the settings of one name or pattern of streams while its keys are read.
type settingsEntry struct {
	*configLoader
	names    []string          // the streams that it matches
	streams  []*schemas.Stream // those, and the streams read along with them; no families
	datasets datasetSettings   // settings for datasets of matching families
}

// referenceExpander replaces references to variables and files in texts of the configuration.
type referenceExpander struct {
	lookup  func(string) (string, bool)
	dir     string     // the directory of relative paths
	secret  bool       // refuse files that others than their owner can read
	lenient bool       // a missing variable or file is grammar.ErrUnknown instead of a mistake
	cache   *fileCache // where files are read from

	groupHint func(group string) (hint string, unknown bool) // nil: the group of the readers is not checked
}

// textPiece is a part of a text of the configuration: literal text, or a reference to a variable or file.
type textPiece struct {
	text         string // literal text; of a reference the name of the variable, or file:path
	reference    bool
	defaultValue string // of a variable
	hasDefault   bool
}

// datasetSettings are the settings of the datasets that a name or pattern matches.
type datasetSettings struct {
	pattern  string
	families []string
	settings Settings
}

// Origin says where a value of the configuration comes from, without the value.
type Origin struct {
	Setting string `json:"setting"` // its path in the file: pipelines.nightly.max_time; or a flag: --max-time
	From    string `json:"from"`    // file and line, with the variables or files in the value; or default; or the flag or its variable

	File      string     `json:"-"` // the file that has the value or would have it
	Variables []Variable `json:"-"` // the variables in the value
}

// Variable is a variable that a value refers to.
type Variable struct {
	Name    string
	Default bool // the reference has a default
}
