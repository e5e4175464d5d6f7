package aqueduck

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/errors.md as the code has it")

// classes are what kinds of errors there are, who acts, the exit code of a command that ends with one, and what stands before its messages.
var classes = []struct{ name, meaning, act, exit, note string }{
	{"transient", "the API or the network fails for a while", "nobody: the next run continues; raise a limit that the message names", "1",
		"Most messages are a request with its last answer. They come only after the run has tried again several times."},
	{"auth", "the API refuses the token", "give a valid token", "4", ""},
	{"plan", "the workspace's subscription does not include the stream", "buy the feature, or remove the stream from the pipeline", missing, ""},
	{"scope", "the token has no right to read the stream", "give the token the right, or remove the stream", missing, ""},
	{"not_found", "the API version in use does not have the stream", "set another `api_version`, or remove the stream", missing, ""},
	{"version", "the stream needs a later API version", "set another `api_version`", missing,
		"The message is the same as for `not_found`. The next step names the version: set api_version to … or later."},
	{"config", "`pipelines.yaml`, a stream file, a variable that stands for no flag, or a directory is wrong", "correct what the message names", "3",
		"Mistakes in `pipelines.yaml` and in stream files have no row here. They come with line, column and excerpt; `aqueduck check` lists all of them at once. " +
			"Where a next step says \"nothing was stored\", the message says instead how many rows are stored, if earlier pages brought some."},
	{"usage", "the command line, or an `AQUEDUCK_…` variable that stands for a flag, is wrong", "see `--help`", "2",
		"Rows that name a form, a page or the overview are messages of the [console](console.md)."},
	{"query", "DuckDB cannot answer a statement", "correct the statement", "1", ""},
	{"data", "received or stored data is wrong", "check what the message names before you accept it", "1; a run without an intact published file or erasure log 3; publish guard 6",
		"Before you use `--accept-drop`, look at the source: [a publish was held back](recover.md#a-publish-was-held-back)."},
	{"source", "the API's answers contradict each other, or never end", "nobody at first; if it stays, ask the API's support", "1",
		"Nothing is lost: what was received is stored, and the watermark stays where it was."},
	{"disk", "the disk is full or fails", "free space, then run the same command again", "1",
		"`too little disk space` says that a step did not begin, so that nothing of it was written. [Recover](recover.md#the-disk-is-full) says which files may be deleted."},
	{"busy", "another run writes the warehouse", "wait until it ends", "5",
		"The message ends with the process number of the other run, its pipeline, its id and its start. `sync` first waits 30 minutes (`--wait`). " +
			"The lock ends with its process: a run that was killed holds none."},
	{"freshness", "a freshness SLA is breached", "see the cause: `status`", "6", ""},
	{"interrupted", "somebody stopped the run", "run the same command: it continues", "129, 130, 143", ""},
	{"bug", "a bug in the program", "run it again with `-vv`, and send the output to the maintainers of the repository that you got aqueduck from", "70",
		"The message is the text of an error that no other class explains. Committed data is safe."},
}

// fewWords are messages of names and a cause, and how a reader recognizes them.
var fewWords = map[string]string{
	"GET …: …":                         "GET PATH: why the list of this path cannot be read",
	"alerts.….…":                       "alerts.NAME.ping or alerts.NAME.webhook, and what is wrong with the address",
	"workspace …":                      "workspace NAME, and why it cannot be used",
	"workspaces.….…":                   "workspaces.NAME.base_url or workspaces.NAME.token, and what is wrong with it",
	"write …":                          "write FILE, and why it cannot be written",
	"… … of …":                         "read, write, send or delete FILE of s3://BUCKET/PREFIX, and what the object store answered",
	"table … of … …":                   "table TABLE of NAMESPACE has a property, a format version or partitions that the mirror does not write",
	"mirror … to … by the catalog …":   "mirror SCHEMA to s3://BUCKET/PREFIX by the catalog CATALOG",
	"… at …":                           "connect to Temporal, start the worker, work for Temporal, or list, write or pause a schedule, at ADDRESS",
	"… can be read by others (mode …)": "FILE can be read by others (mode 0644)",
	"… has data that was never in …, and that place has other data":                                   "DATA has data that was never in s3://BUCKET/PREFIX, and that place has other data",
	"… has the tables of another warehouse of this workspace":                                         "s3://BUCKET/PREFIX, or a namespace of the catalog, has the tables of another warehouse of this workspace",
	"… has the tables of another workspace, …":                                                        "s3://BUCKET/PREFIX, or a namespace of the catalog, has the tables of another workspace, ID",
	"… was not made by this program":                                                                  "s3://BUCKET/PREFIX, or a namespace of the catalog, was not made by this program",
	"… is a file, not the link to the published file…":                                                "DATA/warehouse.duckdb is a file, not the link to the published file",
	"… is a file, not a directory":                                                                    "DATA is a file, not a directory",
	"… is already there; nothing was written":                                                         "pipelines.yaml, or another file of init, is already there; nothing was written",
	"… is no catalog that this version can write":                                                     "CATALOG is no catalog that this version can write",
	"… is not a file of at most 64 KiB":                                                               ".env is not a file of at most 64 KiB",
	"… is not the key of the stored hashes: it would give other hashes":                               "the file hash.key is not the key of the stored hashes: it would give other hashes",
	"…=… is not a whole number from 0":                                                                "EMULATOR_HOURS=VALUE, or another such variable, is not a whole number from 0",
	"… is no run, but the file of an erasure at …":                                                    "ID is no run, but the file of an erasure at TIME",
	"… is no run, but the file of a command such as erase, at …":                                      "ID is no run, but the file of a command such as erase, at TIME",
	"…: expected an address with a port":                                                              "--console 8321: expected an address with a port",
	"…: expected a port up to …":                                                                      "--console 127.0.0.1:99999: expected a port up to 65535",
	"…: another process listens there":                                                                "--console ADDRESS, or --metrics ADDRESS: another process listens there",
	"…: this machine cannot listen there":                                                             "--console ADDRESS, or --metrics ADDRESS: this machine cannot listen there",
	"…: no machine has the name …":                                                                    "--console nowhere:8321: no machine has the name nowhere",
	"… can be reached from other machines: it needs TLS and a password":                               "--console … can be reached from other machines: it needs TLS and a password",
	"… is read by id":                                                                                 "STREAM is read by id",
	"… is the current file of readers":                                                                "RUN is the current file of readers",
	"… lists datasets, which are exported as files":                                                   "STREAM lists datasets, which are exported as files",
	"… would be a dataset of the stream …, whose columns only the source knows":                       "NAME would be a dataset of the stream STREAM, whose columns only the source knows",
	"… reads tables that this warehouse does not have: …":                                             "QUERY reads tables that this warehouse does not have: TABLES",
	"… of … rows are missing from the source list; no row was marked deleted":                         "NUMBER of NUMBER rows are missing from the source list; no row was marked deleted",
	"… of … tables in … are not equal to …":                                                           "NUMBER of NUMBER tables in s3://BUCKET/PREFIX are not equal to FILE",
	"…/_aqueduck.json is damaged":                                                                     "s3://BUCKET/PREFIX/_aqueduck.json is damaged",
	"… does not have the published file of this machine: the mirror waits for it":                     "s3://BUCKET/PREFIX does not have the published file of this machine: the mirror waits for it",
	"… is already running":                                                                            "PIPELINE is already running",
	"… cannot be read":                                                                                "DATA/.aqueduck/mirror.json cannot be read",
	"… is damaged":                                                                                    "DATA/.aqueduck/remote.json is damaged",
	"… of … is damaged":                                                                               "head.json of s3://BUCKET/PREFIX is damaged",
	"… of … is not as it was sent":                                                                    "FILE of s3://BUCKET/PREFIX is not as it was sent",
	"…, which head.json names, is gone from …":                                                        "FILE, which head.json names, is gone from s3://BUCKET/PREFIX",
	"… has no published file":                                                                         "s3://BUCKET/PREFIX has no published file",
	"the object store of …, …":                                                                        "the object store of warehouse.remote or warehouse.mirror, and what is wrong with its address",
	"… and the one in … have different salts: two machines made their first erasure at the same time": "DATA/erasures.log and the one in s3://BUCKET/PREFIX have different salts: two machines made their first erasure at the same time",
}

// missing is the exit code of classes that make a stream unavailable.
const missing = "1 in the first run that can no longer read it, otherwise 0"

// TestThePageOfErrorsIsUpToDate holds docs/errors.md to the code: each error has a class that the page explains, and a next step.
func TestThePageOfErrorsIsUpToDate(t *testing.T) {
	told, err := errorsOfTheCode()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var page strings.Builder
	page.WriteString(`# Errors

Every error has one form, except for mistakes in files that ` + "`check`" + ` names with their line: its class in brackets, what the program did, the cause, and the next step.

` + "```" + `
error[auth] read one record of contacts to identify the workspace: POST /contacts/search: 401 unauthorized: Access Token Invalid (request_id 8f0c…)
     next: set a token that is valid for this workspace, and the address of its region, then run the same command again; no watermark moved
` + "```" + `

The class says who acts. Alerts, ` + "`" + `status` + "`" + `, ` + "`" + `runs` + "`" + ` and the JSON of a run have it too. After every error:

- Committed data is safe. A watermark, the time up to which a stream is read, advances only together with its rows.
- Readers keep their file until a new one is complete.
- An error of the API has its ` + "`" + `request_id` + "`" + `.

| class | what it is | who acts, and how | exit code |
|---|---|---|---|
`)
	for _, c := range classes {
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", c.name, c.meaning, c.act, c.exit)
	}
	page.WriteString("\nThis is the exit code of an error that ends the command. When only some streams fail, these codes do not count. The run then exits with 4 " +
		"if the token was refused or every requested stream is unavailable, else with 6 if the publish guard acted, and else with 1. It also exits with 1 when a command of `after:` fails.\n\n" +
		"A value that is wrong on the command line is `usage`. So is one in an `AQUEDUCK_…` variable, which stands for a flag. A value that is wrong in `pipelines.yaml`, " +
		"in a stream file or in another variable is `config`. So is a file, directory, port or object store that cannot be used, whoever names it.\n\n" +
		"The tables below are made from the code. A message often begins with what the program did, for example `stream contacts: …`. Search the page for a part without " +
		"names and numbers. The line `next:` of a message may be more exact than the row here; where no row fits, follow that line. \"In the message\" means that the next step " +
		"depends on the cause. For a name that does not exist, the next step gives the name that you probably meant, else three similar names, else all names or the command that lists them.\n")
	for _, c := range classes {
		fmt.Fprintf(&page, "\n## %s\n", c.name)
		if c.note != "" {
			fmt.Fprintf(&page, "\n%s\n", c.note)
		}
		if len(told[c.name]) > 0 {
			page.WriteString("\n| message (… stands for names, numbers and causes) | next step |\n|---|---|\n")
		}
		for _, e := range told[c.name] {
			if e.what == "" {
				t.Errorf("an error of class %s has no message, and its next step is %q: name it in answers", c.name, e.next)
			}
			if words, few := fewWords[e.what]; few {
				used[e.what], e.what = true, words
			}
			if strings.HasPrefix(e.what, "…") {
				t.Errorf("a reader cannot search for %q: name it in fewWords", e.what)
			}
			if e.next == "…" {
				e.next = "in the message"
			}
			if rest, found := strings.CutPrefix(e.next, "…"); found && rest != "" {
				e.next = "a near name, in the message; " + rest
			}
			fmt.Fprintf(&page, "| %s | %s |\n", e.what, e.next)
		}
		delete(told, c.name)
	}
	for what := range fewWords {
		if !used[what] {
			t.Errorf("no error says %q", what)
		}
	}
	for class, list := range told {
		t.Errorf("class %q of %q is not explained", class, list[0].what)
	}
	if *update {
		if err := os.WriteFile("docs/errors.md", []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("docs/errors.md")
	if err != nil || string(text) != page.String() {
		t.Errorf("docs/errors.md is not what the code says (%v): make docs writes it", err)
	}
}

// documentedError is an error as the code makes it.
type documentedError struct {
	what, next string
	derived    bool // what is the text of a cause: a Problem with the same words says more
}

// errorsOfTheCode gives, by class, what every Problem that the code makes says.
func errorsOfTheCode() (map[string][]documentedError, error) {
	r := errorReader{texts: map[string]string{}, problems: map[string][]documentedError{}}
	var files []*ast.File
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files = append(files, file)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, note := range []func(ast.Node) bool{r.noteText, r.noteAlias, r.noteProblem} {
		for _, f := range files {
			r.of = f.Name.Name
			ast.Inspect(f, note)
		}
	}
	for class := range r.problems {
		slices.SortFunc(r.problems[class], func(a, b documentedError) int { return strings.Compare(a.what+a.next, b.what+b.next) })
		r.problems[class] = slices.Compact(slices.DeleteFunc(r.problems[class], func(e documentedError) bool {
			return e.derived && slices.ContainsFunc(r.problems[class], func(o documentedError) bool { return o.what == e.what && !o.derived })
		}))
	}
	return r.problems, nil
}

// either stands between the texts of an error that has several.
const either = "\x00"

// errorReader collects what is said.
type errorReader struct {
	of       string            // the package that is being read
	texts    map[string]string // texts of constants and errors, by package.Name, and of error types, by package.Type
	local    map[string]string // texts of the function's constants and variables, by name
	typed    map[string]string // package.Type of the function's variables and parameters
	causes   []string          // what the case or condition that is being read is about
	problems map[string][]documentedError
}

// noteText notes the constants, errors and types of errors of a package.
func (r *errorReader) noteText(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		if len(n.Names) == 1 && len(n.Values) == 1 {
			if call, ok := n.Values[0].(*ast.CallExpr); ok && len(call.Args) == 1 && identifierOf(call.Fun) == "New" {
				r.texts[r.of+"."+n.Names[0].Name] = r.messageTemplate(call.Args[0])
			}
			if text := r.messageTemplate(n.Values[0]); text != "…" {
				r.texts[r.of+"."+n.Names[0].Name] = text
			}
		}
	case *ast.FuncDecl:
		if n.Name.Name == "Error" && n.Recv != nil && n.Body != nil {
			r.enterFunction(n)
			r.texts[r.of+"."+typeOf(n.Recv.List[0].Type)] = r.returnedTexts(n.Body)
		}
		r.local = nil
		return false
	}
	return true
}

// returnedTexts joins what the return statements of a function say.
func (r *errorReader) returnedTexts(body *ast.BlockStmt) string {
	var texts []string
	ast.Inspect(body, func(n ast.Node) bool {
		if back, ok := n.(*ast.ReturnStmt); ok && len(back.Results) == 1 {
			texts = append(texts, r.messageTemplate(back.Results[0]))
		}
		return true
	})
	return strings.Join(texts, either)
}

// noteAlias is a sentinel of another package under a name of this one.
func (r *errorReader) noteAlias(n ast.Node) bool {
	if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
		if text, ok := r.texts[r.qualifiedName(v.Values[0])]; ok {
			r.texts[r.of+"."+v.Names[0].Name] = text
		}
	}
	return true
}

func (r *errorReader) qualifiedName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return identifierOf(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return r.qualifiedName(e.X)
	}
	return r.of + "." + identifierOf(e)
}

// enterFunction notes the texts and types of a function's constants, variables and parameters. Of a variable the first text counts.
func (r *errorReader) enterFunction(f *ast.FuncDecl) {
	r.local, r.typed = map[string]string{}, map[string]string{}
	for _, p := range f.Type.Params.List {
		for _, name := range p.Names {
			r.typed[name.Name] = r.qualifiedName(p.Type)
		}
	}
	note := func(name string, value ast.Expr) {
		if _, known := r.local[name]; !known {
			if text := r.messageTemplate(value); fixedWord.MatchString(text) {
				r.local[name] = text
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if r.typed[name.Name] = r.qualifiedName(n.Type); i < len(n.Values) {
					note(name.Name, n.Values[i])
				}
			}
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) && n.Tok != token.ADD_ASSIGN {
				for i, to := range n.Lhs {
					if field, ok := to.(*ast.SelectorExpr); ok {
						note("."+field.Sel.Name, n.Rhs[i])
					} else {
						note(identifierOf(to), n.Rhs[i])
					}
				}
			}
		}
		return true
	})
}

// aboutCauses returns the texts of the errors that a condition asks for with errors.Is or errors.As.
func (r *errorReader) aboutCauses(condition ast.Expr) (causes []string) {
	ast.Inspect(condition, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		switch identifierOf(call.Fun) {
		case "Is":
			causes = append(causes, r.texts[r.qualifiedName(call.Args[1])])
		case "As":
			if to, ok := call.Args[1].(*ast.UnaryExpr); ok {
				causes = append(causes, r.texts[r.typed[identifierOf(to.X)]])
			}
		}
		return true
	})
	return slices.DeleteFunc(causes, func(text string) bool { return text == "" })
}

// answers are the answers of the API that have a class, whatever they say.
var answers = map[string]string{
	"transient": "an answer with status 408, 425, 429 or 5xx, an answer that is cut or not JSON, or none at all",
	"auth":      "an answer with status 401, or with the code of a refused token",
	"plan":      "an answer with status 403 and the code api_plan_restricted",
	"scope":     "any other answer with status 403",
	"config":    "an answer with a next page, a cursor or a count of more records, which `page:` of the stream file does not read",
	"not_found": "an error list of the API with status 404 or 410",
	"data":      "an answer that is not what the stream file says, or another status, such as 400 or 422",
	"source":    "answers that contradict each other, or a list that never ends",
}

// storeAnswers are the answers of an object store that have a class, by class.
var storeAnswers = map[string]string{
	"auth":   "the object store refuses the credentials, or there are none",
	"config": "the object store has no such bucket",
}

func (r *errorReader) noteProblem(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		r.enterFunction(n)
		r.causes = nil
	case *ast.CaseClause:
		r.causes = nil
		for _, e := range n.List {
			r.causes = append(r.causes, r.aboutCauses(e)...)
		}
	case *ast.IfStmt:
		if causes := r.aboutCauses(n.Cond); len(causes) > 0 {
			before := r.causes
			r.causes = causes
			ast.Inspect(n.Body, r.noteProblem)
			if r.causes = before; n.Else != nil {
				ast.Inspect(n.Else, r.noteProblem)
			}
			return false
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == 2 && len(n.Rhs) == 2 && identifierOf(n.Lhs[0]) == "Class" && identifierOf(n.Lhs[1]) == "Next" {
			class, _ := strconv.Unquote(wordingOf(n.Rhs[0]))
			r.problems[class] = append(r.problems[class], documentedError{what: r.answer(class), next: r.messageTemplate(n.Rhs[1])})
		}
	case *ast.CompositeLit:
		if identifierOf(n.Type) == "Problem" {
			r.noteLiteral(n)
		}
	}
	return true
}

// answer is how a reader recognizes an answer that has this class: one of the API, or of the object store.
func (r *errorReader) answer(class string) string {
	if r.of == "remote" {
		return storeAnswers[class]
	}
	return answers[class]
}

// noteLiteral notes a Problem. One without a fixed word, and without a known cause, is not noted: nobody could find it by its words.
func (r *errorReader) noteLiteral(n *ast.CompositeLit) {
	var class string
	explained := false // the text of the cause follows
	s := documentedError{what: "…", next: cmp.Or(r.local[".Next"], "aqueduck sync PIPELINE --failed")}
	for _, e := range n.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch identifierOf(pair.Key) {
		case "Class":
			class, _ = strconv.Unquote(wordingOf(pair.Value))
		case "What":
			s.what = r.messageTemplate(pair.Value)
		case "Next":
			s.next = r.messageTemplate(pair.Value)
		case "Err":
			explained = identifierOf(pair.Value) == "err"
		}
	}
	if class == "interrupted" || class == "transient" && s.what == "…" {
		s.next = map[string]string{"interrupted": "run the same command: it continues", "transient": "aqueduck sync PIPELINE --failed"}[class]
	}
	whats := strings.Split(s.what, either) // one for each text of an error's type
	s.derived = len(whats) > 1
	if rest, open := strings.CutPrefix(s.what, "…"); open && len(r.causes) > 0 {
		whats, s.derived = nil, true
		for _, cause := range r.causes {
			for text := range strings.SplitSeq(cause, either) {
				whats = append(whats, strings.TrimSuffix(text, "…")+"…"+rest)
			}
		}
	}
	if explained && len(r.causes) > 0 && !s.derived {
		whats = nil
		for _, cause := range r.causes {
			whats = append(whats, s.what+": "+cause)
		}
	}
	for _, what := range whats {
		if class != "" && fixedWord.MatchString(what) {
			r.problems[class] = append(r.problems[class], documentedError{what, s.next, s.derived})
		}
	}
}

var fixedWord = regexp.MustCompile(`\pL\pL`)

func identifierOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// typeOf is the name of a type or of what it points to.
func typeOf(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	return identifierOf(e)
}

func wordingOf(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		return lit.Value
	}
	return ""
}

var verb = regexp.MustCompile(`"?%[-+# 0-9.]*[a-zA-Z]"?`)

// messageTemplate is a text of the code with … for what only a run knows.
func (r *errorReader) messageTemplate(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return strings.ReplaceAll(text, "|", "\\|")
		}
	case *ast.Ident, *ast.SelectorExpr:
		if text, ok := r.local[identifierOf(e)]; ok {
			return text
		}
		if text, ok := r.texts[r.qualifiedName(e)]; ok {
			return text
		}
	case *ast.BinaryExpr:
		var texts []string
		for left := range strings.SplitSeq(r.messageTemplate(e.X), either) {
			texts = append(texts, strings.ReplaceAll(left+r.messageTemplate(e.Y), "……", "…"))
		}
		return strings.Join(texts, either)
	case *ast.CallExpr:
		if identifierOf(e.Fun) == "Sprintf" && len(e.Args) > 0 {
			return strings.ReplaceAll(verb.ReplaceAllString(r.messageTemplate(e.Args[0]), "…"), "……", "…")
		}
		if method, ok := e.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Error" {
			if text, ok := r.texts[r.typed[identifierOf(method.X)]]; ok {
				return text
			}
		}
	}
	return "…"
}
