package duck

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/duckdb/duckdb-go/v2"
)

// Refused is the error of a statement that reads, but calls a function or view that users' SQL may not call.
type Refused struct {
	Name   string // of the function or view
	View   bool   // Name is that of a view or table
	Reason string // what the function does, as part of a sentence
	Line   int    // line in the statement, from 1; 0: the error has it elsewhere
	Whole  string // the whole error; "": it has the other parts
	Before string // what the line has before the name, if Whole is given
}

func (r *Refused) Error() string {
	if r.Whole != "" {
		return r.Whole
	}
	what := "it calls " + r.Name + "()"
	if r.View {
		what = "it reads " + r.Name
	}
	if r.Line > 0 {
		what += fmt.Sprintf(" in line %d", r.Line)
	}
	return what + ", which is not allowed here: that " + r.Reason
}

// Reads reports whether a text is one statement that only reads. *Refused is the error of one that calls a forbidden function. Reads
// checks DuckDB's parse tree before DuckDB prepares the statement: preparing binds it, and some functions act when they are bound.
// A refused statement was neither run nor bound.
func (d *DB) Reads(statement string) (reads bool, err error) {
	j, err := d.checkStatement(statement)
	if err != nil || j == nil {
		return false, err
	}
	return d.bindStatement(j)
}

// Selects reports whether a text is one SELECT, as CREATE VIEW needs it, with the errors of Reads. Where all its
// functions are known it does not bind the SELECT: creating the view binds it, and binding a view of many tables costs as
// much as the view.
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

// bindStatement lets DuckDB bind a checked statement. It refuses a statement with an unknown function that DuckDB
// accepts.
func (d *DB) bindStatement(j *statementCheck) (reads bool, err error) {
	reads, err = d.preparesRead(j.statement)
	if reads && j.unknown != nil {
		return false, j.unknown
	}
	return reads, err
}

// checkStatement checks all calls of one SELECT against the rules. It returns nil for any other text. An unknown function
// is an error where DuckDB has the function; where it has not, binding reports it with a suggestion.
func (d *DB) checkStatement(statement string) (*statementCheck, error) {
	tree, at, err := d.parseSelect(statement)
	if err != nil || tree == nil {
		return nil, err
	}
	j := &statementCheck{functionRules: defaultRules(), statement: statement, from: at}
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

// refuseKnown returns the refusal of a function that DuckDB has, and nil for one that it does not have.
func (d *DB) refuseKnown(r *Refused) error {
	var n int
	err := d.Scan(context.Background(), "SELECT count(*) FROM duckdb_functions() WHERE lower(function_name) = lower($1)", []any{r.Name}, &n)
	if err == nil && n > 0 {
		return r
	}
	return err
}

// preparesRead reports whether DuckDB accepts a text as one statement of a kind that reads.
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

// parseResult is the answer of json_serialize_sql: the parse tree of the statements, before any name is looked up.
type parseResult struct {
	Error      bool              `json:"error"`
	Type       string            `json:"error_type"`
	Message    string            `json:"error_message"`
	Position   string            `json:"position"`
	Statements []json.RawMessage `json:"statements"`
}

// parseSelect gives the tree of one SELECT, and where it begins in the text: after EXPLAIN, if there is one. The tree is
// nil for anything else.
func (d *DB) parseSelect(statement string) (tree any, at int, err error) {
	if strings.ContainsRune(statement, 0) {
		return nil, 0, nil // DuckDB runs the text up to the NUL only, but the whole text would be checked
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

// syntaxError says where the syntax error is, in the form of DuckDB's own errors.
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

// statementCheck is one statement while it is checked.
type statementCheck struct {
	functionRules
	statement string
	from      int      // where the tree begins in the statement
	unknown   *Refused // the first function that no rule names
}

// aggregateCallers are the functions whose second argument names an aggregate to call.
var aggregateCallers = map[string]bool{"aggregate": true, "array_aggr": true, "array_aggregate": true, "list_aggr": true, "list_aggregate": true}

// checkTree checks each name that a part of the tree calls or reads. kind is the kind of a call at this place: scalar, or
// table directly after FROM.
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

// checkCall checks the call of a function.
func (j *statementCheck) checkCall(part map[string]any, kind, name string) error {
	reason, allowed, known := j.ruleFor(kind, name)
	switch {
	case known && !allowed:
		return j.locateRefusal(part, Refused{Name: name, Reason: reason})
	case !known && j.unknown == nil:
		j.unknown = j.locateRefusal(part, Refused{Name: name, Reason: "is not in the list of functions that only read"})
	}
	if !aggregateCallers[strings.ToLower(name)] {
		return nil
	}
	called := namedAggregates(part)
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

// namedAggregates gives the texts among the first two arguments of a call, as in list_aggr(l, 'sum') and
// l.list_aggr('sum').
func namedAggregates(part map[string]any) (names []string) {
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
	end := min(max(j.from+int(placeOf(part)), 0), len(j.statement))
	r.Line = strings.Count(j.statement[:end], "\n") + 1
	return &r
}

// statementStarts gives the places where the explained statement may begin, or where the text begins.
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

// matchWord gives the end of a word at a place, in any case of letters; false where another word stands there.
func matchWord(text string, at int, want string) (int, bool) {
	end := at + len(want)
	if end > len(text) || !strings.EqualFold(text[at:end], want) {
		return at, false
	}
	rest := strings.TrimLeftFunc(text[end:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' })
	return end, len(rest) == len(text)-end
}

// skipSpace gives the next place that is neither space nor comment.
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

// commentLength is the length of the block comment at the beginning of a text. Comments may be nested.
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
