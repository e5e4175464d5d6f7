package models_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/docs/queries"
	"aqueduck/load/read"
)

// What others read, they read as we do: the published file, its models, the saved questions and the lake, by packages of other
// languages, of the oldest DuckDB that docs/bi.md promises, of later ones and of one newer than ours; and the lake by a library
// that has nothing to do with DuckDB. Rows are counted; names, types and every value are compared.

// readers are packages of three registries, with what installs each in a directory and gives the command that reads by it.
// To Python a DuckDB gives instants only where pytz is there, too.
var readers = []struct {
	library, version string
	install          func(t *testing.T, dir, library, version string) (command []string)
}{
	{"duckdb", "1.2.2", byPython},
	{"duckdb", "1.3.2", byPython},
	{"duckdb", "1.4.4", byPython},
	{"duckdb", "2.0.0", byPython},
	{"pyarrow", "26.0.1", byPython},
	{"@duckdb/node-api", "1.5.6-r.1", byNode},
	{"org.duckdb:duckdb_jdbc", "1.4.4.0", byJava},
}

func byPython(t *testing.T, dir, library, version string) []string {
	python := filepath.Join(dir, "env", "bin", "python")
	installPackage(t, "python3", "-m", "venv", filepath.Join(dir, "env"))
	installPackage(t, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", library+"=="+version, "pytz==2026.1")
	return []string{python, "testdata/interop/read.py"}
}

func byNode(t *testing.T, dir, library, version string) []string {
	installPackage(t, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries", "1", library+"@"+version)
	return []string{"node", "testdata/interop/read.js", dir}
}

func byJava(t *testing.T, dir, library, version string) []string {
	installPackage(t, "mvn", "--quiet", "--batch-mode", "dependency:copy", "-Dartifact="+library+":"+version, "-DoutputDirectory="+dir)
	return []string{"java", "-cp", filepath.Join(dir, "*"), "testdata/interop/Read.java"}
}

// relationReading is what one relation looks like to a reader.
type relationReading struct {
	Rows    int         `json:"rows"`
	Columns [][2]string `json:"columns"` // name and type
	Sum     string      `json:"sum"`
	Error   string      `json:"error"`
}

func (r relationReading) String() string {
	return cmp.Or(r.Error, fmt.Sprintf("%d rows, sum %s, %v", r.Rows, r.Sum, r.Columns))
}

func TestInteropOthersReadWhatWeRead(t *testing.T) {
	if os.Getenv("AQUEDUCK_INTEROP") == "" {
		t.Skip("installs packages of 450 MB: AQUEDUCK_INTEROP=1, or make interop")
	}
	file, err := filled.PublishedPath()
	must(t, err)
	own, lake := ourReadings(t, file), filepath.Join(filepath.Dir(file), "..", "..", "lake", "main")
	for _, reader := range readers {
		t.Run(reader.library+" "+reader.version, func(t *testing.T) {
			t.Parallel()
			command := reader.install(t, t.TempDir(), reader.library, reader.version)
			if reader.library != "pyarrow" {
				asked := map[string]string{}
				for name := range own {
					asked[name] = queryFor(t, name)
				}
				for name, files := range lakeFiles(t, lake) {
					asked["lake "+name] = "SELECT * FROM read_parquet(['" + strings.Join(files, "', '") + "'])"
				}
				compareReadings(t, own, readBy(t, command, reader.version, map[string]any{"file": file, "queries": asked}))
				return
			}
			tables := map[string][]string{}
			for name, files := range lakeFiles(t, lake) {
				tables["lake "+name] = files
			}
			compareReadings(t, own, readBy(t, command, reader.version, map[string]any{"tables": tables}))
		})
	}
}

// arrowTypes are the names that others have for the types of the lake.
var arrowTypes = map[string]string{
	"string": "VARCHAR", "extension<arrow.json>": "JSON", "int64": "BIGINT", "int32": "INTEGER", "bool": "BOOLEAN", "double": "DOUBLE",
	"date32[day]": "DATE", "timestamp[us, tz=UTC]": "TIMESTAMP WITH TIME ZONE",
}

// compareReadings holds what a reader found against our own: a table of the lake against that of the file.
func compareReadings(t *testing.T, own, others map[string]relationReading) {
	t.Helper()
	rows := 0
	for name, other := range others {
		for i, c := range other.Columns {
			other.Columns[i][1] = cmp.Or(arrowTypes[c[1]], c[1])
		}
		want := own["main."+strings.TrimPrefix(name, "lake ")]
		if !strings.HasPrefix(name, "lake ") {
			want = own[name]
		}
		if other.String() != want.String() {
			t.Errorf("%s: %s\nand to us %s", name, other, want)
		}
		rows += other.Rows
	}
	t.Logf("%d relations and answers with %d rows are equal", len(others), rows)
}

// queryFor is the query of a name: a relation, or a saved question.
func queryFor(t *testing.T, name string) string {
	t.Helper()
	question, saved := strings.CutPrefix(name, "question ")
	if !saved {
		return "SELECT * FROM " + name
	}
	all, err := queries.All()
	must(t, err)
	i := slices.IndexFunc(all, func(q queries.Query) bool { return q.Name == question })
	return all[i].SQL
}

// ofNow are questions whose answer is another in each second.
var ofNow = regexp.MustCompile(`(?i)\bnow\(|current_date|current_timestamp`)

// ourReadings reads every table, view and model of a file, and asks the saved questions.
func ourReadings(t *testing.T, file string) map[string]relationReading {
	t.Helper()
	r, err := read.OpenReader(t.Context(), file)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	var names []string
	must(t, r.Query(t.Context(), "SELECT table_schema || '.' || table_name FROM information_schema.tables ORDER BY ALL", func(_ []string, row []any) error {
		if row != nil {
			names = append(names, row[0].(string))
		}
		return nil
	}))
	all, err := queries.All()
	must(t, err)
	for _, q := range all {
		if !ofNow.MatchString(q.SQL) {
			names = append(names, "question "+q.Name)
		}
	}
	found := map[string]relationReading{}
	for _, name := range names {
		found[name] = ourReading(t, r, queryFor(t, name))
	}
	if len(found) < 100 {
		t.Fatalf("only %d relations and questions", len(found))
	}
	return found
}

func ourReading(t *testing.T, r *read.Reader, query string) (found relationReading) {
	t.Helper()
	must(t, r.Query(t.Context(), "DESCRIBE "+query, func(_ []string, row []any) error {
		if row != nil {
			found.Columns = append(found.Columns, [2]string{row[0].(string), row[1].(string)})
		}
		return nil
	}))
	var total uint64
	must(t, r.Query(t.Context(), query, func(_ []string, row []any) error {
		if row == nil {
			return nil
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = valueText(v)
		}
		digest := sha256.Sum256([]byte(strings.Join(cells, "|")))
		total += binary.BigEndian.Uint64(digest[:])
		found.Rows++
		return nil
	}))
	found.Sum = fmt.Sprintf("%016x", total)
	return found
}

// valueText is a value in the one form that the scripts of testdata/interop write, too.
func valueText(v any) string {
	sized := func(s string) string { return fmt.Sprintf("%d:%s", len(s), s) }
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return fmt.Sprintf("%.16e", v)
	case time.Time:
		return fmt.Sprintf("@%d", v.UnixMicro())
	case json.RawMessage:
		return sized(string(v))
	case json.Number:
		return v.String()
	case string:
		return sized(v)
	case *big.Int:
		return v.String()
	}
	return fmt.Sprint(v)
}

// lakeFiles are the files of each table of a lake.
func lakeFiles(t *testing.T, dir string) map[string][]string {
	t.Helper()
	tables := map[string][]string{}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*.parquet"))
	must(t, err)
	for _, path := range found {
		name := filepath.Base(filepath.Dir(path))
		tables[name] = append(tables[name], path)
	}
	if len(tables) == 0 {
		t.Fatal("the lake is empty")
	}
	return tables
}

// readBy has one of the scripts read.
func readBy(t *testing.T, command []string, version string, request any) map[string]relationReading {
	t.Helper()
	asked, err := json.Marshal(request)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	var problems bytes.Buffer
	run.Stdin, run.Stderr = bytes.NewReader(asked), &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.Bytes())
	}
	var said struct {
		Version string                     `json:"version"`
		Answers map[string]relationReading `json:"answers"`
	}
	must(t, json.Unmarshal(out, &said))
	if said.Version == "" || !strings.HasPrefix(version, strings.TrimPrefix(said.Version, "v")) {
		t.Fatalf("%s was asked for, %s answered", version, said.Version)
	}
	return said.Answers
}

// unreachable is what installers say where there is no registry to reach, or no way to install.
var unreachable = regexp.MustCompile(`(?i)connection broken|NewConnectionError|ensurepip is not available|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|unknown host|could not transfer`)

// installPackage runs what brings a package here. The test is skipped where the installer, or the network, is not there.
func installPackage(t *testing.T, command ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || unreachable.Match(out) {
			t.Skipf("%v: %v: %s", command, err, bytes.TrimSpace(out))
		}
		t.Fatalf("%v: %v: %s", command, err, bytes.TrimSpace(out))
	}
}
