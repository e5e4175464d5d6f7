package duck

import (
	"cmp"
	"context"
	"database/sql/driver"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/duckdb/duckdb-go/v2"
)

//go:embed functions.txt
var functionList string

// Refused is a statement that reads, by calling what SQL of users may not call.
type Refused struct {
	Name   string // of the function or view
	View   bool   // Name is a view's
	Reason string // what it does
	Line   int    // of the statement, from 1; 0: the error says it elsewhere
}

func (r *Refused) Error() string {
	what := "it calls " + r.Name + "()"
	if r.View {
		what = "it reads " + r.Name
	}
	if r.Line > 0 {
		what += fmt.Sprintf(" in line %d", r.Line)
	}
	return what + ", which is not allowed here: that " + r.Reason
}

// functionRules are what SQL of users may call, and why it may not call the rest.
type functionRules struct {
	allowed map[string]bool   // by kind and name
	refused map[string]string // the reason, by kind and name; a name that ends in ... stands for all that begin so
}

// parseFunctionRules reads functions.txt.
func parseFunctionRules(text string) functionRules {
	v := functionRules{map[string]bool{}, map[string]string{}}
	for line := range strings.Lines(text) {
		line, reason, _ := strings.Cut(strings.TrimSpace(line), " ## ")
		words := strings.Fields(line)
		if len(words) < 3 || words[0] == "#" {
			continue
		}
		for _, name := range words[2:] {
			key := words[1] + " " + strings.ToLower(name)
			if words[0] == "allow" {
				v.allowed[key] = true
			} else {
				v.refused[key] = reason
			}
		}
	}
	return v
}

// listed are the verdicts of functions.txt, which is read once.
var listed = sync.OnceValue(func() functionRules { return parseFunctionRules(functionList) })

// ruleFor says whether a name of a kind is allowed, and why it is not; known is false of a name that is in no line.
func (v functionRules) ruleFor(kind, name string) (reason string, allowed, known bool) {
	key := kind + " " + strings.ToLower(name)
	if v.allowed[key] {
		return "", true, true
	}
	if reason, ok := v.refused[key]; ok {
		return reason, false, true
	}
	for end := len(key); end > len(kind); end-- {
		family := key[:end] + "..."
		if v.allowed[family] {
			return "", true, true
		}
		if reason, ok := v.refused[family]; ok {
			return reason, false, true
		}
	}
	return "", false, false
}

// Reads says whether a text is one statement, and one that only reads; *Refused is the error of one that reads by calling what it may
// not. It is judged by how DuckDB parses it: to prepare it would be to bind it, and some functions act when they are bound. What it
// refuses has been neither run nor bound.
func (d *DB) Reads(statement string) (reads bool, err error) {
	j, err := d.checkStatement(statement)
	if err != nil || j == nil {
		return false, err
	}
	return d.bindStatement(j)
}

// Selects says whether a text is one SELECT and no more, as CREATE VIEW takes it, and gives the errors of Reads. It does not bind it where
// it knows all that it calls: whoever creates the view does, and to bind a view of many tables twice costs as much as the view.
func (d *DB) Selects(query string) (bool, error) {
	j, err := d.checkStatement(query)
	switch {
	case err != nil || j == nil || j.from > 0:
		return false, err
	case j.unknown == nil:
		return true, nil
	}
	return d.bindStatement(j)
}

// bindStatement has DuckDB bind a statement that was judged. One that it binds although nobody knows what it calls is refused.
func (d *DB) bindStatement(j *statementCheck) (reads bool, err error) {
	reads, err = d.preparesRead(j.statement)
	if reads && j.unknown != nil {
		return false, j.unknown
	}
	return reads, err
}

// checkStatement holds all that one SELECT calls against the list; it gives nil of what is no SELECT, or more than one. A function that is in no
// line is an error where DuckDB has it; where it has not, binding says so.
func (d *DB) checkStatement(statement string) (*statementCheck, error) {
	tree, at, err := d.parseSelect(statement)
	if err != nil || tree == nil {
		return nil, err
	}
	j := &statementCheck{functionRules: listed(), statement: statement, from: at}
	if err := j.checkTree(tree, "scalar"); err != nil {
		return nil, err
	}
	if j.unknown != nil {
		if err := d.refuseKnown(j.unknown); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// refuseKnown gives a refusal of a function that DuckDB has. Of one that it has not it says so itself, and which may be meant.
func (d *DB) refuseKnown(r *Refused) error {
	var n int
	err := d.Scan(context.Background(), "SELECT count(*) FROM duckdb_functions() WHERE lower(function_name) = lower($1)", []any{r.Name}, &n)
	if err == nil && n > 0 {
		return r
	}
	return err
}

// preparesRead says whether DuckDB takes a text as one statement of a kind that reads.
func (d *DB) preparesRead(statement string) (reads bool, err error) {
	err = d.conn.Raw(func(raw any) error {
		// Not PrepareContext: of several statements it runs all but the last.
		prepared, err := raw.(driver.Conn).Prepare(statement)
		if err != nil && strings.Contains(err.Error(), "multi-statement") {
			return nil
		}
		if err != nil {
			return err
		}
		defer prepared.Close()
		kind, err := prepared.(*duckdb.Stmt).StatementType()
		reads = kind == duckdb.STATEMENT_TYPE_SELECT || kind == duckdb.STATEMENT_TYPE_EXPLAIN
		return err
	})
	return reads, err
}

// parseResult is what json_serialize_sql gives: the statements as DuckDB parses them, before anything of them is looked up.
type parseResult struct {
	Error      bool              `json:"error"`
	Type       string            `json:"error_type"`
	Message    string            `json:"error_message"`
	Position   string            `json:"position"`
	Statements []json.RawMessage `json:"statements"`
}

// parseSelect gives the tree of a statement, and where in the text it begins: behind EXPLAIN, if that stands there. Of what is not one SELECT
// it gives none.
func (d *DB) parseSelect(statement string) (tree any, at int, err error) {
	if strings.ContainsRune(statement, 0) {
		return nil, 0, nil // what stands behind it would be judged, and not be run
	}
	var wrong error
	for _, at := range statementStarts(statement) {
		p, err := d.parseFrom(statement[at:])
		switch {
		case err != nil:
			return nil, 0, err
		case p.Error && p.Type != "parser":
			return nil, 0, nil // a statement of another kind
		case p.Error && wrong == nil:
			wrong = p.syntaxError(statement, at)
		case !p.Error && len(p.Statements) == 0:
			return nil, 0, errors.New("empty query")
		case !p.Error && len(p.Statements) > 1:
			return nil, 0, nil
		case !p.Error:
			if err := json.Unmarshal(p.Statements[0], &tree); err != nil {
				return nil, 0, fmt.Errorf("read how the statement is parsed: %w", err)
			}
			return tree, at, nil
		}
	}
	return nil, 0, wrong
}

func (d *DB) parseFrom(text string) (p parseResult, err error) {
	var answer string
	const query = "SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_empty := true, skip_null := true)::VARCHAR"
	if err := d.Scan(context.Background(), query, []any{text}, &answer); err != nil {
		return p, fmt.Errorf("parse the statement: %w", err)
	}
	if err := json.Unmarshal([]byte(answer), &p); err != nil {
		return p, fmt.Errorf("read how the statement is parsed: %w", err)
	}
	return p, nil
}

// syntaxError says where a text is that cannot be parsed, as DuckDB does elsewhere.
func (p parseResult) syntaxError(statement string, from int) error {
	at, err := strconv.Atoi(p.Position)
	if err != nil {
		return errors.New("Parser Error: " + p.Message)
	}
	characters := []rune(statement[from:]) // which the position counts
	at = min(max(at, 0), len(characters))
	before, after := statement[:from]+string(characters[:at]), string(characters[at:])
	head := fmt.Sprintf("LINE %d: ", strings.Count(before, "\n")+1)
	left := []rune(before[strings.LastIndexByte(before, '\n')+1:])
	line, _, _ := strings.Cut(after, "\n")
	right := []rune(line)
	const around = 50 // characters on each side: a line may be a whole statement
	if len(left) > around {
		head, left = head+"...", left[len(left)-around:]
	}
	drawn := string(left) + string(right[:min(len(right), around)])
	if len(right) > around {
		drawn += "..."
	}
	const kind = "Parser Error" // as DuckDB calls it
	return fmt.Errorf("%s: %s\n\n%s%s\n%*s", kind, p.Message, head, drawn, len(head)+len(left)+1, "^")
}

// statementCheck is one statement while it is judged.
type statementCheck struct {
	functionRules
	statement string
	from      int      // where in it the tree begins
	unknown   *Refused // the first name that is in no line
}

// byName are the functions whose second argument names an aggregate to call.
var byName = map[string]bool{"aggregate": true, "array_aggr": true, "array_aggregate": true, "list_aggr": true, "list_aggregate": true}

// checkTree judges each name that a part of the tree calls or reads. kind is what a call there is: a relation of its own right behind FROM.
func (j *statementCheck) checkTree(part any, kind string) error {
	switch part := part.(type) {
	case []any:
		for _, one := range part {
			if err := j.checkTree(one, "scalar"); err != nil {
				return err
			}
		}
	case map[string]any:
		if name, ok := part["function_name"].(string); ok {
			if err := j.checkCall(part, kind, name); err != nil {
				return err
			}
		}
		if name, ok := part["table_name"].(string); ok && part["type"] == "BASE_TABLE" {
			if reason, allowed, known := j.ruleFor("view", name); known && !allowed {
				return j.locateRefusal(part, Refused{Name: name, View: true, Reason: reason})
			}
		}
		for key, one := range part {
			within := "scalar"
			if key == "function" && part["type"] == "TABLE_FUNCTION" {
				within = "table"
			}
			if err := j.checkTree(one, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCall judges a call of a function.
func (j *statementCheck) checkCall(part map[string]any, kind, name string) error {
	reason, allowed, known := j.ruleFor(kind, name)
	switch {
	case known && !allowed:
		return j.locateRefusal(part, Refused{Name: name, Reason: reason})
	case !known && j.unknown == nil:
		j.unknown = j.locateRefusal(part, Refused{Name: name, Reason: "is a function that this program does not allow"})
	}
	if !byName[strings.ToLower(name)] {
		return nil
	}
	called := namedIn(part)
	if len(called) == 0 {
		return j.locateRefusal(part, Refused{Name: name, Reason: "names its aggregate by an expression"})
	}
	for _, aggregate := range called {
		if reason, allowed, _ := j.ruleFor("scalar", aggregate); !allowed {
			return j.locateRefusal(part, Refused{Name: aggregate, Reason: cmp.Or(reason, "is not an aggregate that this program allows")})
		}
	}
	return nil
}

// namedIn are the names that stand as texts among the first two arguments of a call: list_aggr(l, 'sum'), l.list_aggr('sum').
func namedIn(part map[string]any) (names []string) {
	children, _ := part["children"].([]any)
	for _, child := range children[:min(2, len(children))] {
		argument, _ := child.(map[string]any)
		value, _ := argument["value"].(map[string]any)
		if text, ok := value["value"].(string); ok && argument["class"] == "CONSTANT" && !strings.HasPrefix(text, "[") {
			names = append(names, text)
		}
	}
	return names
}

func (j *statementCheck) locateRefusal(part map[string]any, r Refused) *Refused {
	at, _ := part["query_location"].(float64)
	end := min(max(j.from+int(at), 0), len(j.statement))
	r.Line = strings.Count(j.statement[:end], "\n") + 1
	return &r
}

// statementStarts are the places where the statement that is explained may begin, or where the text does.
func statementStarts(text string) []int {
	at := skipSpace(text, 0)
	next, ok := matchWord(text, at, "explain")
	if !ok {
		return []int{0}
	}
	next = skipSpace(text, next)
	for _, option := range []string{"analyze", "analyse", "verbose"} {
		if after, ok := matchWord(text, next, option); ok {
			next = skipSpace(text, after)
		}
	}
	all := []int{next}
	if close := strings.IndexByte(text[next:], ')'); close > 0 && text[next] == '(' {
		all = append(all, next+close+1) // EXPLAIN (FORMAT json) SELECT …
	}
	return all
}

// matchWord gives where a word ends that stands at a place, in whatever case.
func matchWord(text string, at int, want string) (int, bool) {
	end := at + len(want)
	if end > len(text) || !strings.EqualFold(text[at:end], want) {
		return at, false
	}
	rest := strings.TrimLeftFunc(text[end:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' })
	return end, len(rest) == len(text)-end
}

// skipSpace gives the first place from one on that is neither space nor comment.
func skipSpace(text string, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "--"):
			line, _, _ := strings.Cut(rest, "\n")
			at += min(len(line)+1, len(rest))
		case strings.HasPrefix(rest, "/*"):
			at += commentLength(rest)
		case unicode.IsSpace(rune(rest[0])):
			at++
		default:
			return at
		}
	}
	return at
}

// commentLength is the length of the comment that a text begins with; one may have others in it.
func commentLength(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}
