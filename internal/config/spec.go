package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/grammar"
	"aqueduck/transform/models"
)

// ConfigSpec is the grammar of pipelines.yaml.
func ConfigSpec() *grammar.Spec { return (&configLoader{config: &Config{}}).configSpec() }

// configSpec is the grammar, bound to the configuration that is loaded. Values are taken in the order of the keys: pipelines name workspaces and
// streams, alerts name pipelines.
func (l *configLoader) configSpec() *grammar.Spec {
	return &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
		{Name: "version", Kind: grammar.Enum, Required: true, Values: []grammar.Choice{{Name: "1"}}, Doc: "Version of this grammar."},
		warehouseSpec(&l.config.Warehouse),
		{Name: "workspaces", Kind: grammar.Free, Required: true, Some: true, Item: new(workspaceEntry).workspaceSpec(), Into: l.takeWorkspaces, Form: schemaForm, Check: checkSchema,
			Hint: "lower-case letters, digits and _, beginning with a letter, and no word of SQL: it is the schema of its tables", Doc: "Where records come from."},
		{Name: "stream_files", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Into: l.takeStreamFiles, Doc: "Your own streams: files or patterns, from this file's directory, e.g. streams/*.yaml."},
		{Name: "models", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Into: l.takeModels, Doc: "Your own models: SQL files or patterns, from this file's directory, e.g. models/*.sql. See docs/models.md."},
		{Name: "streams", Kind: grammar.Free, Item: new(settingsEntry).streamSettingsSpec(), Into: l.takeSettings, Doc: "What is wanted different from the stream files, by name or pattern."},
		{Name: "pipelines", Kind: grammar.Free, Required: true, Some: true, Item: (&pipelineEntry{configLoader: l}).pipelineSpec(), Into: l.takePipelines, Form: pipelineForm,
			Hint: "letters, digits, - and _, beginning with a letter", Doc: "What is read, and when."},
		{Name: "alerts", Kind: grammar.Free, Item: (&alertEntry{configLoader: l}).alertSpec(), Into: l.takeAlerts, Form: pipelineForm,
			Hint: "letters, digits, - and _, beginning with a letter", Doc: "Who is told how runs go."},
	}}
}

func warehouseSpec(w *Warehouse) grammar.Spec {
	return grammar.Spec{Name: "warehouse", Kind: grammar.Map, Doc: "Where the data goes.", Keys: []grammar.Spec{
		{Name: "dir", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Dir = resolvePath(v, v.Text()) }, Default: "data", Doc: "Directory of warehouse.duckdb and lake/, from this file's own."},
		{Name: "timezone", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Timezone = v.Text() }, Default: "UTC", Check: checkZone, Hint: "e.g. Europe/Berlin",
			Doc: "What day and week mean in models and schedules; columns stay instants."},
		{Name: "memory", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Memory, _ = grammar.ParseMemory(v.Text()) }, Default: "200MB", Form: grammar.MemoryForm, Check: checkMemory, Hint: "e.g. 1GB",
			Doc: "What DuckDB may use while records are stored and published; the program needs some 400 MB besides. More is needed only where a single record has tens of megabytes."},
		{Name: "publish", Kind: grammar.Map, Doc: "How often readers get a new file.", Keys: []grammar.Spec{
			{Name: "first", Kind: grammar.Duration, Into: func(v *grammar.Value) { w.Publish.First = v.Duration() }, Default: "10s", Doc: "While history is still read, what is newest is published once it is there, but no sooner after the run's start: a short run publishes once."},
			{Name: "every", Kind: grammar.Duration, Into: func(v *grammar.Value) { w.Publish.Every = v.Duration() }, Default: "60m", Doc: "During a long run; at its end in any case."},
			{Name: "keep", Kind: grammar.Int, Into: func(v *grammar.Value) { w.Publish.Keep = v.Int() }, Default: "2", Max: 100, Doc: "Older files to go back to."},
			{Name: "max_loss", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Publish.MaxLoss, _ = parsePercentage(v.Text()) }, Default: "30%", Form: shareForm, Check: checkShare, Hint: "e.g. 30%; 100% lets everything go",
				Doc: "Readers keep the file they have when a table would lose a larger share of its rows, and more than ten. Erasures are no loss."},
		}},
		officeSpec(w),
	}}
}

func (a *alertEntry) alertSpec() *grammar.Spec {
	return &grammar.Spec{Name: "NAME", Kind: grammar.Map, Doc: "One place to tell. What cannot be told is logged, and fails no run.", Keys: []grammar.Spec{
		{Name: "ping", Kind: grammar.Text, Into: a.takeAddress(&a.Ping), Verbatim: true, Secret: hasLiteralText,
			Doc: "Address that gets a POST with the last line of each run: as it is when it went well, with `/start` before it, `/fail` when it did not, and the run's id as `rid`. For services that call when one is missing."},
		{Name: "webhook", Kind: grammar.Text, Into: a.takeAddress(&a.Webhook), Verbatim: true, Secret: hasLiteralText,
			Doc: "Address that gets a POST of JSON with `event`, `text` and what belongs to it. Best from `${VAR}` or `${file:…}`: such addresses are secret."},
		{Name: "on", Kind: grammar.List, Into: a.takeKinds, Item: &grammar.Spec{Kind: grammar.Enum, Values: []grammar.Choice{
			{Name: "failure", Doc: "a run did not end with 0."},
			{Name: "late", Doc: "a stream's freshness is breached; `serve` looks every ten minutes, and each run when it ends."},
			{Name: "recovery", Doc: "what was told of before is over."},
			{Name: "schema_change", Doc: "the source has fields that nobody knew, or a column was added or widened."}}},
			Doc: "What the webhook is told; left out: failure, late, recovery."},
		{Name: "cooldown", Kind: grammar.Duration, Into: func(v *grammar.Value) { a.Cooldown = v.Duration() }, Default: "4h", Doc: "The same failure again is told no sooner."},
		{Name: "pipelines", Kind: grammar.OneOrAll, Into: takeKnownNames("pipeline", a.config.pipelineNames(), &a.Pipelines), Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Whose runs; left out: those of all."},
	}}
}

func officeSpec(w *Warehouse) grammar.Spec {
	office := grammar.Spec{Name: "office_hours", Kind: grammar.Map, Doc: "When somebody is there to answer: measures whose names end in `_office` leave out the rest. Left out: these are null.", Keys: []grammar.Spec{
		{Name: "timezone", Kind: grammar.Text, Into: func(v *grammar.Value) { w.Office.Timezone = cmp.Or(v.Text(), w.Timezone) },
			Check: checkZone, Hint: "e.g. Europe/Berlin", Doc: "Whose hours they are; left out: the warehouse's time zone."},
		{Name: "holidays", Kind: grammar.List, Into: func(v *grammar.Value) { w.Office.Holidays = v.Texts() }, Item: &grammar.Spec{Kind: grammar.Date}, Doc: "Days on which nobody is."},
	}}
	for i, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		take := func(v *grammar.Value) {
			for _, stretch := range v.Texts() {
				opens, ends, _ := strings.Cut(stretch, "-")
				w.Office.Hours = append(w.Office.Hours, models.Hours{Weekday: i + 1, Opens: opens, Ends: ends})
			}
		}
		office.Keys = append(office.Keys, grammar.Spec{Name: day, Kind: grammar.OneOrAll, Into: take, Item: &grammar.Spec{Kind: grammar.Text, Form: hoursForm, Check: checkHours, Hint: `e.g. "09:00-17:00"`},
			Doc: "From when to when, e.g. `09:00-17:00`, or a list of such; left out: closed."})
	}
	return office
}

func (w *workspaceEntry) workspaceSpec() *grammar.Spec {
	return &grammar.Spec{Name: "NAME", Kind: grammar.Map,
		Doc: "Its name is the schema of its tables; main is the one that needs no schema in a query.", Keys: []grammar.Spec{
			{Name: "base_url", Kind: grammar.Text, Into: w.takeBaseURL, Required: true, Verbatim: true, Secret: regexp.MustCompile(`//[^/]*@`).MatchString,
				Doc: "Address of the workspace's region, best from a variable; `emulator` is the embedded workspace. No default."},
			{Name: "token", Kind: grammar.Text, Into: w.takeToken, Verbatim: true, Secret: hasLiteralText,
				Doc: "`${VAR}` or `${file:/run/secrets/x}`, a file that only its owner can read. Never the token itself, and no default."},
			{Name: "api_version", Kind: grammar.Text, Into: func(v *grammar.Value) { w.APIVersion = v.Text() }, Default: LatestVersion, Form: versionForm, Check: checkVersion, Hint: `e.g. "` + LatestVersion + `", the latest that there is`, Doc: "Version that is asked for with each request, no later than `" + LatestVersion + "`."},
			{Name: "version_header", Kind: grammar.Text, Into: func(v *grammar.Value) { w.VersionHeader = v.Text() }, Default: "Service-Version", Form: headerForm, Check: checkHeader, Hint: "e.g. Service-Version", Doc: "Header that carries it, none that says something else."},
			{Name: "requests_per_minute", Kind: grammar.Int, Into: func(v *grammar.Value) { w.RequestsPerMinute = v.Int() }, Min: 1, Max: 1_000_000,
				Doc: "A ceiling for all its pipelines together, in one process; left out: learned from the answers, leaving 20 % to others."},
			{Name: "download_hosts", Kind: grammar.OneOrAll, Into: func(v *grammar.Value) { w.DownloadHosts = v.Texts() }, Item: &grammar.Spec{Kind: grammar.Text, Form: hostForm, Hint: "a host alone, e.g. files.example.com, or *.files.example.com for all below it"},
				Doc: "Hosts that files of exports may be fetched from, beside those of the site of `base_url`: `files.example.com`, or `*.files.example.com` for all below it. A file elsewhere is asked of the API itself, and refused when that does not give it."},
		}}
}

func (s *settingsEntry) streamSettingsSpec() *grammar.Spec {
	return &grammar.Spec{Name: "STREAM", Kind: grammar.Map, Doc: "A stream's name, or a pattern of names: `*contacts`.", Keys: []grammar.Spec{
		{Name: "start", Kind: grammar.Date, Into: s.takeStart, Doc: "How far back history is read; left out: to the beginning, of exports 90 days."},
		{Name: "hash", Kind: grammar.List, Into: s.takeMasked(func(of *Settings) *[]string { return &of.Hash }), Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Columns or dotted paths whose value is stored as a hash only."},
		{Name: "drop", Kind: grammar.List, Into: s.takeMasked(func(of *Settings) *[]string { return &of.Drop }), Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Columns or dotted paths that are not stored."},
		{Name: "on_change", Kind: grammar.Enum, Into: s.takeGiven(func(of *Settings, v *grammar.Value) { of.OnChange = v.Text() }), Default: "freeze", Doc: "What a field or a kind of value does that the stream file does not know. It is in `_extra` and in `_sync.schema_changes` in any case.", Values: []grammar.Choice{
			{Name: "freeze", Doc: "columns stay as they are."},
			{Name: "evolve", Doc: "a column of booleans or numbers that does not hold what came is widened before the next run reads, bool → int → double → text, and has the past values too."},
			{Name: "fail", Doc: "the stream stops before anything is stored, but for its first run."}}},
		{Name: "left_out", Kind: grammar.Enum, Into: s.takeGiven(func(of *Settings, v *grammar.Value) { of.LeftOutEmpty = v.Text() == "empty" }), Default: "keep", Doc: "What it means that an answer leaves out a list or an object of a record.", Values: []grammar.Choice{
			{Name: "keep", Doc: "nothing is said of it: what is stored stays, and the record is asked for again."},
			{Name: "empty", Doc: "it is empty: for an API that leaves out what is empty."}}},
		{Name: "keep_erased", Kind: grammar.List, Into: s.takeKeepErased, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Columns of personal data that stay when a person is erased, e.g. `custom_attributes` of conversations; never those that are his own."},
		{Name: "history", Kind: grammar.Bool, Into: s.takeHistory, Default: "false",
			Doc: "Keeps, from then on, each state of a record that a read has seen: a row of `<stream>_history` with `valid_from` and `valid_to`, and `lifecycle` where the record left. Taken out: the table stays, and its states end."},
		{Name: "refresh", Kind: grammar.Duration, Into: s.takeRefresh, Doc: "Exports only: how far back they are read again, once a day, for what came late or changed; left out: 35d."},
	}}
}

func (p *pipelineEntry) pipelineSpec() *grammar.Spec {
	return &grammar.Spec{Name: "NAME", Kind: grammar.Map, Doc: "Called by its name: `aqueduck sync NAME`.", Keys: []grammar.Spec{
		{Name: "schedule", Kind: grammar.Text, Into: p.takeSchedule, Doc: "When `aqueduck serve` runs it: minute hour day month weekday. Left out: by hand only."},
		{Name: "streams", Kind: grammar.OneOrAll, Into: func(v *grammar.Value) { p.patterns = v }, Required: true, Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Streams to read, by name or pattern."},
		{Name: "workspaces", Kind: grammar.OneOrAll, Into: takeKnownNames("workspace", p.config.NameList, &p.workspaces), Some: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Workspaces to read; left out: all."},
		{Name: "max_time", Kind: grammar.Duration, Into: func(v *grammar.Value) { p.MaxTime = v.Duration() }, Default: "20h", Check: checkPositive, Doc: "A run ends cleanly after it; history goes on next time. The default has a nightly run ended before the next one."},
		{Name: "max_requests", Kind: grammar.Int, Into: func(v *grammar.Value) { p.MaxRequests = int64(v.Int()) }, Default: "5000000", Min: 1, Max: 1_000_000_000, Doc: "A run ends cleanly after so many requests; the next one goes on."},
		{Name: "catch_up", Kind: grammar.Enum, Into: func(v *grammar.Value) { p.CatchUp = v.Text() == "one" }, Default: "one", Doc: "After downtime.", Values: []grammar.Choice{
			{Name: "one", Doc: "a run that was missed, interrupted or killed is made up for, once."}, {Name: "none", Doc: "the next one comes at its time."}}},
		{Name: "retry", Kind: grammar.Enum, Into: func(v *grammar.Value) { p.Retry = v.Text() == "later" }, Default: "later", Doc: "When a run of `aqueduck serve` failed for what heals by itself (errors of the classes `transient` and `busy`).", Values: []grammar.Choice{
			{Name: "later", Doc: "what failed is read again 15 minutes later, 45 after that, and two hours after that, as long as its next time has not come, with what is left of `max_time` and `max_requests`. Alerts are told of the last failure only."},
			{Name: "none", Doc: "the next one comes at its time."}}},
		{Name: "overlap", Kind: grammar.Enum, Into: p.takeOverlap, Default: "skip", Doc: "When its time comes while it runs.", Values: []grammar.Choice{
			{Name: "skip", Doc: "that time is left out."}, {Name: "queue", Doc: "it runs once more afterwards."}}},
		{Name: "freshness", Kind: grammar.Map, Doc: "How long ago a stream may have been read well, for `status` and its `--exit-code`. Left out: by the schedule.", Keys: []grammar.Spec{
			{Name: "warn_after", Kind: grammar.Duration, Into: func(v *grammar.Value) { p.WarnAfter = v.Duration() }, Check: checkPositive, Doc: "It is late after it; left out: once the run that was due next has not brought it."},
			{Name: "error_after", Kind: grammar.Duration, Into: p.takeErrorAfter, Check: checkPositive, Doc: "Its freshness is breached after it; left out: once two runs have not."}}},
		{Name: "after", Kind: grammar.OneOrAll, Into: func(v *grammar.Value) { p.After = v.Texts() }, Item: &grammar.Spec{Kind: grammar.Text, Form: commandForm, Hint: "e.g. dbt run; without a command, leave the key out"}, Doc: "Commands for the shell, from this file's directory, once a run has put changed data before the readers: `dbt run`. AQUEDUCK_DATABASE, AQUEDUCK_PIPELINE and AQUEDUCK_RUN are set, tokens and addresses of alerts are not. One that fails ends the run with 1."},
		{Name: "jitter", Kind: grammar.Duration, Into: func(v *grammar.Value) { p.Jitter = v.Duration() }, Doc: "Each run begins up to this much later, so that many installations do not ask at once."},
	}}
}

// takeKnownNames puts names into a field, each of which is known.
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
		return fmt.Errorf("no time zone %q", name)
	}
	return nil
}

// Forms of what the file writes.
var (
	schemaForm   = grammar.NewForm(`^[a-z][a-z0-9_]{0,40}$`, "%q cannot name a workspace")
	pipelineForm = grammar.NewForm(`^[A-Za-z][A-Za-z0-9_-]{0,60}$`, "%q cannot name a pipeline")
	versionForm  = grammar.NewForm(`^[0-9A-Za-z][0-9A-Za-z._-]{0,30}$`, "%q is no version")
	headerForm   = grammar.NewForm(`^[0-9A-Za-z][0-9A-Za-z_-]{0,60}$`, "%q is no name of a header")
	hostForm     = grammar.NewForm(`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`, "%q is no host")
	hoursForm    = grammar.NewForm(`^([01][0-9]|2[0-3]):[0-5][0-9]-(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$`, "%q is no stretch of a day")
	commandForm  = grammar.NewForm(`\S`, "%q is no command")
	shareForm    = grammar.NewForm(`^[0-9]{1,3}(\.[0-9]{1,9})?%$`, "%q is no share of a table")
)

// checkHours wants an end after the beginning.
func checkHours(text string) error {
	if opens, ends, _ := strings.Cut(text, "-"); opens >= ends {
		return fmt.Errorf("%q is no stretch of a day", text)
	}
	return nil
}

// checkSchema keeps workspaces apart from what every DuckDB file has, and from the program's own schemas.
func checkSchema(name string) error {
	if slices.Contains([]string{"temp", "system", "memory", "warehouse", "models", "information_schema", "pg_catalog"}, name) {
		return fmt.Errorf("%q is not free to name a workspace", name)
	}
	if slices.Contains(strings.Fields(sqlWords), name) {
		return fmt.Errorf("%q is a word of SQL, and cannot name a workspace", name)
	}
	if strings.HasSuffix(name, "_models") {
		return fmt.Errorf("%q cannot name a workspace: schemas of that ending hold the models of others", name)
	}
	return nil
}

// sqlWords are those that DuckDB does not read as the name of a schema, FROM select.contacts, unless they are in quotes.
const sqlWords = `all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check collate collation
	column concurrently constraint create cross default deferrable desc describe distinct do else end except false fetch for foreign freeze from
	full glob group having ilike in initially inner intersect into is isnull join lambda lateral leading left like limit natural not notnull null
	offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning right select
	semi show similar some summarize symmetric table tablesample then to trailing true union unique unpack unpivot using variadic verbose when
	where window with`

// checkVersion refuses a number that no version of the API's document has (workspace-api 9); words are not compared.
func checkVersion(text string) error {
	if number := text[0] >= '0' && text[0] <= '9'; number && (!numbered.MatchString(text) || OlderVersion(LatestVersion, text)) {
		return fmt.Errorf("no API version %q", text)
	}
	return nil
}

// checkHeader refuses a header that a version would take from what needs it.
func checkHeader(text string) error {
	if api.ReservedHeader(text) {
		return fmt.Errorf("%q is a header that says something else", text)
	}
	return nil
}

var numbered = regexp.MustCompile(`^[0-9]{1,4}\.[0-9]{1,4}$`)

// leastMemory is what DuckDB needs to store and publish the smallest workspace.
const leastMemory = 100_000_000

func checkMemory(text string) error {
	n, err := grammar.ParseMemory(text)
	if err == nil && n < leastMemory {
		return fmt.Errorf("%s is less than DuckDB needs: 100MB", text)
	}
	return err
}

func checkShare(text string) error {
	_, err := parsePercentage(text)
	return err
}

// parsePercentage reads a share written as one.
func parsePercentage(text string) (float64, error) {
	number, ok := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(percent > 0 && percent <= 100) {
		return 0, fmt.Errorf("%q is no share of a table", text)
	}
	return percent / 100, nil
}

func checkPositive(text string) error {
	if d, err := grammar.ParseDuration(text); err == nil && d == 0 {
		return fmt.Errorf("%s is no time at all", text)
	}
	return nil
}

// LatestVersion is the API version that is asked for where none is chosen: it has all that streams read.
const LatestVersion = "2.17"
