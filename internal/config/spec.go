package config

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/docs/queries"
	"aqueduck/extract/api"
	"aqueduck/internal/grammar"
	"aqueduck/transform/compat"
	"aqueduck/transform/models"
)

// ConfigSpec is the grammar of pipelines.yaml, for its documentation and its JSON schema.
func ConfigSpec() *grammar.Spec { return (&configLoader{config: &Config{}}).configSpec() }

// configSpec is the grammar with its fields bound to the configuration that is loaded. Values are read in the order of the keys: pipelines refer
// to workspaces and streams, alerts refer to pipelines.
func (l *configLoader) configSpec() *grammar.Spec {
	return &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
		{Name: "version", Example: "1", Kind: grammar.Enum, Required: true, Values: []grammar.Choice{{Name: "1"}}, Doc: "Version of this grammar."},
		warehouseSpec(&l.config.Warehouse),
		{Name: "workspaces", Example: "{main: {base_url: emulator}}", Kind: grammar.Free, Required: true, Some: true, Item: new(workspaceEntry).workspaceSpec(), Into: l.takeWorkspaces, Form: schemaForm, Check: checkSchema,
			Hint: "lower-case letters, digits and _, beginning with a letter, and no word of SQL: it is the schema of its tables", Doc: "Workspaces to read."},
		{Name: "stream_files", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Into: l.takeStreamFiles, Doc: "Your own streams: files or patterns, relative to this file, e.g. streams/*.yaml."},
		{Name: "models", Kind: grammar.Map, Short: "files", Doc: "Your own models, and which models are stored as tables. See docs/models.md.", Keys: []grammar.Spec{
			{Name: "files", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Into: l.takeModels, Doc: "Your own models: SQL files or patterns, relative to this file, e.g. models/*.sql."},
			{Name: "materialize", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Into: l.materializeModels, Doc: "Models that are stored as tables; the others are views. Default: those that docs/models.md says are stored as tables. `[]`: none."},
		}},
		{Name: "streams", Kind: grammar.Free, Item: new(settingsEntry).streamSettingsSpec(), Into: l.takeSettings, Doc: "Settings that differ from the stream files, by stream name or pattern."},
		{Name: "personal", Kind: grammar.Enum, Into: l.takePersonal, Default: "keep", Doc: "What is stored of all columns with personal data, by the dictionary, in every stream, also in exports. Where `hash` or `drop` of a stream names a column, that decides.", Values: []grammar.Choice{
			{Name: "keep", Doc: "their values."},
			{Name: maskHash, Doc: "hashes of texts and JSON, so that equal values stay equal; other values are dropped."},
			{Name: maskDrop, Doc: "nothing."}}},
		{Name: "pipelines", Example: "{nightly: {streams: [contacts]}}", Kind: grammar.Free, Required: true, Some: true, Item: (&pipelineEntry{configLoader: l}).pipelineSpec(), Into: l.takePipelines, Form: pipelineForm,
			Hint: "letters, digits, - and _, beginning with a letter", Doc: "Streams that are read together, and when."},
		{Name: "compat", Kind: grammar.Enum, Into: l.takeCompat, Doc: "Views for SQL that was written for another program's tables: in schema `fivetran` for the workspace `main`, in `NAME_fivetran` for any other. See docs/moving.md.", Values: []grammar.Choice{
			{Name: compat.Fivetran, Doc: "the 16 tables that the dbt package fivetran/dbt_intercom 1.6 reads."}}},
		{Name: "alerts", Kind: grammar.Free, Item: (&alertEntry{configLoader: l}).alertSpec(), Into: l.takeAlerts, Form: pipelineForm,
			Hint: "letters, digits, - and _, beginning with a letter", Doc: "Services that receive messages about runs."},
		{Name: "console", Kind: grammar.Map, Short: "pinned", Doc: "What the console shows.", Keys: []grammar.Spec{
			{Name: "pinned", Example: "[backlog_by_day]", Kind: grammar.OneOrAll, Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Into: l.takePinned, Doc: "Saved queries of the page with questions, in this order; `aqueduck query --list` has their names. Default: twelve that the warehouse can answer."},
		}},
	}}
}

// takePinned stores the saved queries of the console's page with questions.
func (l *configLoader) takePinned(v *grammar.Value) {
	known, err := queries.Names()
	if err != nil {
		v.Wrong("", "%v", err)
		return
	}
	takeKnownNames("saved query", known, &l.config.Pinned)(v)
	for i, item := range v.Items() {
		if slices.Contains(l.config.Pinned[:i], item.Text()) {
			item.Wrong("leave one of them out", "%q is pinned twice", item.Text())
		}
	}
}

func warehouseSpec(w *Warehouse) grammar.Spec {
	return grammar.Spec{Name: "warehouse", Kind: grammar.Map, Doc: "Directory, time zone, memory and publishing of the data.", Keys: []grammar.Spec{
		{Name: "dir", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Dir = resolvePath(v, v.Text()) }, Default: "data", Doc: "Directory of warehouse.duckdb and lake/, relative to this file."},
		{Name: "group", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Readers.Group = v.Text() }, Hint: "e.g. analysts",
			Doc: "Group that may read the published files and the lake, by name or number. Default: the group of the directory. This user must be a member."},
		{Name: "mode", Kind: grammar.Enum, Into: func(v *grammar.Value) { w.Readers.Mode = readModes[v.Text()] }, Values: []grammar.Choice{
			{Name: "0600", Doc: "only the owner reads them."},
			{Name: "0640", Doc: "the group reads them too."},
			{Name: "0644", Doc: "every user of the machine reads them."},
		}, Doc: "Who may read the published files and the lake. Default: as the directory allows; a new directory follows the umask."},
		{Name: "timezone", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Timezone = v.Text() }, Default: "UTC", Check: checkZone, Hint: "e.g. Europe/Berlin",
			Doc: "Time zone of days and weeks in models and schedules, and of export files whose times have none: another zone reads all exports again. Other timestamps are instants, and do not depend on it."},
		{Name: "memory", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Memory, _ = grammar.ParseMemory(v.Text()) }, Default: "200MB", Form: grammar.MemoryForm, Check: checkMemory,
			Doc: "Memory that DuckDB may use to store and publish records. The program needs about 400 MB more. Raise it to `400MB` if conversations have some ten million parts, or if a single record has tens of megabytes."},
		{Name: "publish", Kind: grammar.Map, Doc: "How often readers get a new file.", Keys: []grammar.Spec{
			{Name: "first", Kind: grammar.Duration, Into: func(v *grammar.Value) { w.Publish.First = v.Duration() }, Default: "10s", Doc: "During a backfill, the first publish comes at the earliest this long after the start of the run, and has the newest data. A shorter run publishes once, at its end; so does one whose rest is estimated to take less than a minute, unless this is 0s."},
			{Name: "every", Kind: grammar.Duration, Into: func(v *grammar.Value) { w.Publish.Every = v.Duration() }, Default: "60m", Doc: "Time between publishes during a long run. Every run also publishes at its end."},
			{Name: "keep", Kind: grammar.Int, Into: func(v *grammar.Value) { w.Publish.Keep = v.Int() }, Default: "2", Max: 100, Doc: "Number of older published files that are kept for a rollback."},
			{Name: "max_loss", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Publish.MaxLoss, _ = parsePercentage(v.Text()) }, Default: "30%", Form: shareForm, Check: checkShare, Hint: "e.g. 30%; 100% lets everything go",
				Doc: "Publish guard: readers keep their file if a table would lose a larger share of its rows, and more than ten rows. Rows that an erasure or a new `drop` removes do not count."},
		}},
		{Name: "parquet", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Parquet.None, w.Parquet.Every = parseParquet(v.Text()) }, Default: "always", Form: parquetForm, Hint: "always, none, or hours, e.g. 6h",
			Doc: "When a publish also writes the Parquet files in lake/: `always`, at most every so many hours (`6h`), or `none`. `none` removes them. An erasure writes them at once."},
		{Name: "remote", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Remote = v.Text() }, Form: remoteForm, Check: checkBucket, Hint: "e.g. s3://bucket/warehouse",
			Doc: "Place in an object store that has the published file, too. Each publish is sent there; a run on another machine begins from it. See docs/remote.md."},
		{Name: "mirror", Kind: grammar.Map, Doc: "Apache Iceberg tables that each run makes equal to the published file. See docs/mirror.md.", Keys: []grammar.Spec{
			{Name: "location", Example: "s3://bucket/tables", Kind: grammar.Text, Required: true, Into: func(v *grammar.Value) { w.Mirror.Location = v.Text() }, Form: mirrorForm, Check: checkBucket, Hint: "e.g. s3://bucket/tables, gs://bucket/tables or abfss://container@account.dfs.core.windows.net/tables", Doc: "Place of the tables in an object store. Each workspace has a folder of its own there. `gs://` and `abfss://` need a program that was built for them."},
			{Name: "catalog", Kind: grammar.Text, Secret: regexp.MustCompile(`//[^/]*@`).MatchString, Into: w.takeCatalog, Form: catalogForm, Check: checkCatalog, Hint: "e.g. sqlite:catalog.db, postgres://HOST:PORT/DATABASE with user and password in PGUSER and PGPASSWORD, or rest:https://HOST/PATH with ICEBERG_TOKEN", Doc: "The catalog in which engines find the tables: `sqlite:` and a file, relative to this file, `postgres://HOST:PORT/DATABASE` or `rest:https://HOST/PATH`. Access comes from variables of the environment: see docs/mirror.md. Default: mirror.db in the directory of the warehouse."},
		}},
		officeSpec(w),
	}}
}

func (w *Warehouse) takeCatalog(v *grammar.Value) {
	if v.Text() == "" { // the default depends on the directory
		return
	}
	if strings.HasPrefix(v.Text(), "postgres://") || strings.HasPrefix(v.Text(), "rest:") {
		w.Mirror.Catalog = v.Text()
		return
	}
	w.Mirror.Catalog = "sqlite:" + resolvePath(v, strings.TrimPrefix(v.Text(), "sqlite:"))
}

// readModes are the modes that published files may have. Nobody but their owner may write them.
var readModes = map[string]fs.FileMode{"0600": 0o600, "0640": 0o640, "0644": 0o644}

// parseParquet reads when Parquet files are written: never, or at most every so often.
func parseParquet(text string) (none bool, every time.Duration) {
	every, _ = time.ParseDuration(text) // always and none are no durations
	return text == "none", every
}

func (a *alertEntry) alertSpec() *grammar.Spec {
	return &grammar.Spec{Name: "NAME", Kind: grammar.Map, Doc: "One service. A message that cannot be sent is logged, and the run does not fail.", Keys: []grammar.Spec{
		{Name: "ping", Kind: grammar.Text, Into: a.takeAddress(&a.Ping), Verbatim: true, Secret: hasLiteralText,
			Doc: "Address for services that report a missing run. `/start` is added for the start of a run, `/fail` for its failure, nothing for its success. Each POST has the run's id as `rid`; the last one has the last line of the run."},
		{Name: "webhook", Kind: grammar.Text, Into: a.takeAddress(&a.Webhook), Verbatim: true, Secret: hasLiteralText,
			Doc: "Address that gets a POST of JSON with `event`, `text` and details. Take it from `${VAR}` or `${file:…}`: such addresses are secret."},
		{Name: "on", Kind: grammar.List, Into: a.takeKinds, Item: &grammar.Spec{Kind: grammar.Enum, Values: []grammar.Choice{
			{Name: "failure", Doc: "a run did not exit with 0."},
			{Name: "late", Doc: "a stream has become BREACHED in `status`. `serve` checks every ten minutes, each run at its end."},
			{Name: "recovery", Doc: "a problem that was reported is over."},
			{Name: "schema_change", Doc: "the API sends unknown fields, or a column was added or widened."}}},
			Doc: "Events that the webhook receives. Default: failure, late, recovery."},
		{Name: "cooldown", Kind: grammar.Duration, Into: func(v *grammar.Value) { a.Cooldown = v.Duration() }, Default: "4h", Doc: "Shortest time until the same failure is reported again."},
		{Name: "pipelines", Example: "[nightly]", Kind: grammar.OneOrAll, Into: takeKnownNames("pipeline", a.config.pipelineNames(), &a.Pipelines), Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Pipelines to report. Default: all."},
	}}
}

func officeSpec(w *Warehouse) grammar.Spec {
	office := grammar.Spec{Name: "office_hours", Kind: grammar.Map, Doc: "Hours in which the team answers. Measures with names that end in `_office` count only these hours. Without office hours they are null, and `check` warns. `init` writes 9 to 17 on weekdays, `init --emulator` those of the emulated team.", Keys: []grammar.Spec{
		{Name: "timezone", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Office.Timezone = cmp.Or(v.Text(), w.Timezone) },
			Check: checkZone, Hint: "e.g. Europe/Berlin", Doc: "Time zone of the hours. Default: the warehouse's time zone."},
		{Name: "holidays", Kind: grammar.List, Into: func(v *grammar.Value) { w.Office.Holidays = v.Texts() }, Item: &grammar.Spec{Kind: grammar.Date}, Doc: "Days without office hours."},
	}}
	for i, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		take := func(v *grammar.Value) {
			refuseSharedHours(v)
			for _, stretch := range v.Texts() {
				opens, ends, _ := strings.Cut(stretch, "-")
				w.Office.Hours = append(w.Office.Hours, models.Hours{Weekday: i + 1, Opens: opens, Ends: ends})
			}
		}
		office.Keys = append(office.Keys, grammar.Spec{Name: day, Kind: grammar.OneOrAll, Into: take, Item: &grammar.Spec{Kind: grammar.Text, Form: hoursForm, Check: checkHours, Hint: `e.g. "09:00-17:00"`},
			Doc: "Office hours, e.g. `09:00-17:00`, or a list of them. Default: closed."})
	}
	return office
}

func (w *workspaceEntry) workspaceSpec() *grammar.Spec {
	return &grammar.Spec{Name: "NAME", Kind: grammar.Map,
		Doc: "The name is the schema of the tables. Queries need no schema for `main`.", Keys: []grammar.Spec{
			{Name: "base_url", Example: "${WORKSPACE_URL}", Kind: grammar.Text, Into: w.takeBaseURL, Required: true, Verbatim: true, Secret: regexp.MustCompile(`//[^/]*@`).MatchString,
				Doc: "Address of the API in the workspace's region, best from a variable. `emulator` is the built-in workspace. No default."},
			{Name: "token", Kind: grammar.Text, Into: w.takeToken, Verbatim: true, Secret: hasLiteralText,
				Doc: "`${VAR}` or `${file:/run/secrets/x}`, a file that only its owner can read. Never the token itself. Required, unless `base_url` is the word `emulator`."},
			{Name: "api_version", Kind: grammar.Text, Into: func(v *grammar.Value) { w.APIVersion = v.Text() }, Default: LatestVersion, Form: versionForm, Check: checkVersion, Hint: `e.g. "` + LatestVersion + `", the latest that there is`, Doc: "API version that each request asks for, `" + LatestVersion + "` at most."},
			{Name: "version_header", Kind: grammar.Text, Into: func(v *grammar.Value) { w.VersionHeader = v.Text() }, Default: "Service-Version", Form: headerForm, Check: checkHeader, Hint: "e.g. Service-Version", Doc: "Header that carries the version. A header with another use is refused."},
			{Name: "requests_per_minute", Kind: grammar.Int, Into: func(v *grammar.Value) { w.RequestsPerMinute = v.Int() }, Min: 1, Max: 1_000_000,
				Doc: "Most requests per minute, for all pipelines of the workspace in one process. Default: learned from the API's answers; 20 % are left to other programs."},
			{Name: "download_hosts", Kind: grammar.OneOrAll, Into: func(v *grammar.Value) { w.DownloadHosts = v.Texts() }, Item: &grammar.Spec{Kind: grammar.Text, Form: hostForm, Hint: "a host alone, e.g. files.example.com, or *.files.example.com for all below it"},
				Doc: "Hosts from which files of exports may be downloaded, besides the site of `base_url`: `files.example.com`, or `*.files.example.com` for all hosts below it. A file at another host is requested from the API itself. If the API does not have it, the file is refused."},
		}}
}

func (s *settingsEntry) streamSettingsSpec() *grammar.Spec {
	return &grammar.Spec{Name: "STREAM", Kind: grammar.Map, Doc: "A stream's name, or a pattern of names: `*contacts`.", Keys: []grammar.Spec{
		{Name: "start", Kind: grammar.Date, Into: s.takeStart, Doc: "How far back history is read. Default: to the beginning; for exports 90 days."},
		{Name: maskHash, Kind: grammar.List, Into: s.takeMasked(maskHash, func(of *Settings) *[]string { return &of.Hash }), Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Columns or dotted paths that are stored only as a hash."},
		{Name: maskDrop, Kind: grammar.List, Into: s.takeMasked(maskDrop, func(of *Settings) *[]string { return &of.Drop }), Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Columns or dotted paths that are not stored."},
		{Name: "on_change", Kind: grammar.Enum, Into: s.takeGiven(func(of *Settings, v *grammar.Value) { of.OnChange = v.Text() }), Default: "freeze", Doc: "What happens at schema drift. Unknown fields and values that do not fit are always in `_extra` and `_sync.schema_changes`.", Values: []grammar.Choice{
			{Name: "freeze", Doc: "columns stay unchanged."},
			{Name: "evolve", Doc: "the next run widens columns, bool → int → double → text, also for past values."},
			{Name: "fail", Doc: "the stream stops and stores nothing, except in its first run."}}},
		{Name: "left_out", Kind: grammar.Enum, Into: s.takeGiven(func(of *Settings, v *grammar.Value) { of.LeftOutEmpty = v.Text() == "empty" }), Default: "keep", Doc: "What a missing list or object in an API record means.", Values: []grammar.Choice{
			{Name: "keep", Doc: "the source did not say: stored values stay, and the record is requested again."},
			{Name: "empty", Doc: "it is empty, for an API that omits empty lists and objects."}}},
		{Name: "keep_erased", Kind: grammar.List, Into: s.takeKeepErased, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Columns of personal data that are kept when a person is erased, e.g. `custom_attributes` of conversations. Columns of the person's own record are never kept."},
		{Name: "history", Kind: grammar.Bool, Into: s.takeHistory, Default: "false",
			Doc: "From now on, each state of a record that a run sees becomes a row of `<stream>_history`, with `valid_from`, `valid_to` and `lifecycle`. If you remove the setting, the table stays and its open states end."},
		{Name: "refresh", Kind: grammar.Duration, Into: s.takeRefresh, Doc: "Exports only: period that is re-read once a day, to find late and changed rows. Default: 35d."},
	}}
}

func (p *pipelineEntry) pipelineSpec() *grammar.Spec {
	return &grammar.Spec{Name: "NAME", Kind: grammar.Map, Doc: "Run it by its name: `aqueduck sync NAME`.", Keys: []grammar.Spec{
		{Name: "schedule", Kind: grammar.Text, Into: p.takeSchedule, Doc: "When `aqueduck serve` runs it: minute hour day month weekday. Default: only by hand."},
		{Name: "streams", Example: "[contacts]", Kind: grammar.OneOrAll, Into: func(v *grammar.Value) { p.patterns = v }, Required: true, Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Streams to read, by name or pattern."},
		{Name: "workspaces", Example: "[main]", Kind: grammar.OneOrAll, Into: takeKnownNames("workspace", p.config.NameList, &p.workspaces), Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Workspaces to read. Default: all."},
		{Name: "max_time", Kind: grammar.Duration, Into: func(v *grammar.Value) { p.MaxTime = v.Duration() }, Default: "20h", Check: checkPositive, Doc: "Longest duration of a run. The run then ends cleanly, and the next run continues. With the default a nightly run ends before the next one starts."},
		{Name: "max_requests", Kind: grammar.Int, Into: func(v *grammar.Value) { p.MaxRequests = int64(v.Int()) }, Default: "5000000", Min: 1, Max: 1_000_000_000, Doc: "Request budget of a run. The run then ends cleanly, and the next run continues."},
		{Name: "catch_up", Kind: grammar.Enum, Into: func(v *grammar.Value) { p.CatchUp = v.Text() == "one" }, Default: "one", Doc: "What happens after downtime.", Values: []grammar.Choice{
			{Name: "one", Doc: "one catch-up run replaces missed, interrupted or killed runs."}, {Name: "none", Doc: "the next run starts at its scheduled time."}}},
		{Name: "retry", Kind: grammar.Enum, Into: func(v *grammar.Value) { p.Retry = v.Text() == "later" }, Default: "later", Doc: "What happens when a run of `aqueduck serve` fails with class `transient` or `busy`.", Values: []grammar.Choice{
			{Name: "later", Doc: "failed streams are retried after 15 minutes, 45 more, and 2 hours more, unless the next scheduled run is due. Retries share `max_time` and `max_requests`. The alert follows the last retry; a killed process is reported at once."},
			{Name: "none", Doc: "no retry."}}},
		{Name: "overlap", Kind: grammar.Enum, Into: p.takeOverlap, Default: "skip", Doc: "What happens when the pipeline is due while it still runs.", Values: []grammar.Choice{
			{Name: "skip", Doc: "the new run is skipped."}, {Name: "queue", Doc: "the new run starts afterwards."}}},
		{Name: "freshness", Kind: grammar.Map, Doc: "Freshness SLA of its streams, for `status` and its `--exit-code`. Default: from the schedule.", Keys: []grammar.Spec{
			{Name: "warn_after", Kind: grammar.Duration, Into: func(v *grammar.Value) { p.WarnAfter = v.Duration() }, Check: checkPositive, Doc: "Older data is late. Default: as soon as one due run has brought no complete data."},
			{Name: "error_after", Kind: grammar.Duration, Into: p.takeErrorAfter, Check: checkPositive, Doc: "Older data breaches the SLA. Default: as soon as two due runs have brought none."}}},
		{Name: "after", Kind: grammar.OneOrAll, Into: func(v *grammar.Value) { p.After = v.Texts() }, Item: &grammar.Spec{Kind: grammar.Text, Form: commandForm, Hint: "e.g. dbt run; without a command, leave the key out"}, Doc: "Shell commands that start in this file's directory after a run has published changed data: `dbt run`. AQUEDUCK_DATABASE, AQUEDUCK_PIPELINE and AQUEDUCK_RUN are set; tokens and alert addresses are not. If a command fails, the run exits with 1."},
		{Name: "jitter", Kind: grammar.Duration, Into: func(v *grammar.Value) { p.Jitter = v.Duration() }, Doc: "Each run starts up to this much later, so that many installations do not send requests at once. Under `aqueduck worker`: five minutes if it is not set."},
	}}
}

// takeKnownNames returns the function that stores names in a field, and reports those that are not known.
func takeKnownNames(what string, known []string, field *[]string) func(*grammar.Value) {
	return func(v *grammar.Value) {
		*field = v.Texts()
		for _, item := range v.Items() {
			if !slices.Contains(known, item.Text()) {
				item.Wrong(grammar.DidYouMean(item.Text(), known), "no %s %q", what, item.Text())
			}
		}
	}
}

func checkZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return fmt.Errorf("there is no time zone %q", name)
	}
	return nil
}

// Patterns of values in the file.
var (
	schemaForm   = grammar.NewForm(`^[a-z][a-z0-9_]{0,40}$`, "%q cannot name a workspace")
	pipelineForm = grammar.NewForm(`^[A-Za-z][A-Za-z0-9_-]{0,60}$`, "%q cannot name a pipeline")
	versionForm  = grammar.NewForm(`^[0-9A-Za-z][0-9A-Za-z._-]{0,30}$`, "%q is not a version")
	headerForm   = grammar.NewForm(`^[0-9A-Za-z][0-9A-Za-z_-]{0,60}$`, "%q is not a header name")
	hostForm     = grammar.NewForm(`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`, "%q is not a host")
	hoursForm    = grammar.NewForm(`^([01][0-9]|2[0-3]):[0-5][0-9]-(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$`, "%q is not a time range")
	commandForm  = grammar.NewForm(`\S`, "%q is not a command")
	catalogForm  = grammar.NewForm(`^(sqlite:[^?#]+|postgres://[^@?#/]+/[^@?#/]+|rest:https?://[^@?#]+(\?warehouse=[^@?#&]+)?)$`, "%q is no catalog that this version can write")
	remoteForm   = grammar.NewForm(`^s3://[^/]+(/[A-Za-z0-9_=.-]+)*$`, "%q is no place in an object store; s3:// stands for any store with the S3 interface, and other addresses are not supported")
	mirrorForm   = grammar.NewForm(`^(s3://[^/]+|gs://[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]|abfss://[a-z0-9][a-z0-9-]{1,61}[a-z0-9]@[a-z0-9]{3,24}\.dfs\.[a-z0-9.-]+)(/[A-Za-z0-9_=.-]+)*$`, "%q is no place in an object store that has tables")
	parquetForm  = grammar.NewForm(`^(always|none|[1-9][0-9]{0,3}h)$`, "%q does not say when Parquet files are written")
	shareForm    = grammar.NewForm(`^[0-9]{1,3}(\.[0-9]{1,9})?%$`, "%q is not a percentage")
)

// bucket is what an object store allows as the name of a bucket.
var bucket = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// checkBucket refuses an address whose bucket no object store can have.
func checkBucket(address string) error {
	after, s3 := strings.CutPrefix(address, "s3://")
	name, _, _ := strings.Cut(after, "/")
	if s3 && !bucket.MatchString(name) {
		return fmt.Errorf("the bucket name %q is not valid: 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at both ends", name)
	}
	return nil
}

// checkHours requires that the end is after the beginning.
func checkHours(text string) error {
	if opens, ends, _ := strings.Cut(text, "-"); opens >= ends {
		return fmt.Errorf("%q is not a time range", text)
	}
	return nil
}

// refuseSharedHours refuses stretches of a day that have time in common: it would count twice.
func refuseSharedHours(day *grammar.Value) {
	for i, item := range day.Items() {
		opens, ends, _ := strings.Cut(item.Text(), "-")
		for _, other := range day.Items()[:i] {
			if from, to, _ := strings.Cut(other.Text(), "-"); item.IsSet() && other.IsSet() && opens < to && from < ends {
				item.Wrong(`e.g. ["09:00-12:00", "13:00-17:00"]`, "%s and %s have time in common, which would count twice", other.Text(), item.Text())
				break
			}
		}
	}
}

// checkSchema refuses names of workspaces that every DuckDB file, or this program, uses as a schema.
func checkSchema(name string) error {
	if slices.Contains([]string{"temp", "system", "memory", "warehouse", "models", compat.Fivetran, "information_schema", "pg_catalog"}, name) {
		return fmt.Errorf("%q is reserved and cannot name a workspace", name)
	}
	if slices.Contains(strings.Fields(sqlWords), name) {
		return fmt.Errorf("%q is a word of SQL, and cannot name a workspace", name)
	}
	for ending, what := range map[string]string{"_models": "models", "_" + compat.Fivetran: "views"} {
		if strings.HasSuffix(name, ending) {
			return fmt.Errorf("%q cannot name a workspace: schemas of that ending hold the %s of others", name, what)
		}
	}
	return nil
}

// sqlWords are the words that DuckDB does not accept as the name of a schema without quotes, as in FROM select.contacts.
const sqlWords = `all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check collate collation
	column concurrently constraint create cross default deferrable desc describe distinct do else end except false fetch for foreign freeze from
	full glob group having ilike in initially inner intersect into is isnull join lambda lateral leading left like limit natural not notnull null
	offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning right select
	semi show similar some summarize symmetric table tablesample then to trailing true union unique unpack unpivot using variadic verbose when
	where window with`

// checkVersion refuses a number that is no version of the API's document (workspace-api 9). Versions that are words are not checked.
func checkVersion(text string) error {
	if number := text[0] >= '0' && text[0] <= '9'; number && (!numbered.MatchString(text) || OlderVersion(LatestVersion, text)) {
		return fmt.Errorf("no API version %q", text)
	}
	return nil
}

// checkHeader refuses a header that something else needs, as the token's.
func checkHeader(text string) error {
	if api.ReservedHeader(text) {
		return fmt.Errorf("%q is a header with another meaning", text)
	}
	return nil
}

var numbered = regexp.MustCompile(`^[0-9]{1,4}\.[0-9]{1,4}$`)

// leastMemory is what DuckDB needs to store and publish the smallest workspace, in bytes.
const leastMemory = 100_000_000

func checkMemory(text string) error {
	n, err := grammar.ParseMemory(text)
	if err == nil && n < leastMemory {
		return fmt.Errorf("%s is below the minimum of DuckDB: 100MB", text)
	}
	return err
}

func checkShare(text string) error {
	_, err := parsePercentage(text)
	return err
}

// parsePercentage parses a share that is written as a percentage.
func parsePercentage(text string) (float64, error) {
	number, ok := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(percent > 0 && percent <= 100) {
		return 0, fmt.Errorf("%q is not a percentage", text)
	}
	return percent / 100, nil
}

func checkPositive(text string) error {
	if d, err := grammar.ParseDuration(text); err == nil && d == 0 {
		return fmt.Errorf("%s is not a positive duration", text)
	}
	return nil
}

// LatestVersion is the API version that runs ask for when none is configured. It has all fields that the built-in streams read.
const LatestVersion = "2.17"
