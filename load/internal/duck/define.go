package duck

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"sync"

	"github.com/duckdb/duckdb-go/v2"
)

// Define makes a Go function of some texts callable in statements, and returns its name there. Where a text is NULL the answer is NULL, as where it is false. The
// function is called for one row at a time, and exists as long as the engine.
func (d *DB) Define(texts int, of func(texts []string) (string, bool)) (name string, err error) {
	d.engine.defined++
	name = fmt.Sprintf("__defined_%d", d.engine.defined)
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return "", err
	}
	return name, duckdb.RegisterScalarUDF(d.conn, name, &textFunction{text: text, texts: make([]string, texts), of: of})
}

type textFunction struct {
	text  duckdb.TypeInfo
	of    func(texts []string) (string, bool)
	mu    sync.Mutex // guards what follows: DuckDB may call from several threads
	texts []string
}

// Config says that texts become a text.
func (f *textFunction) Config() duckdb.ScalarFuncConfig {
	return duckdb.ScalarFuncConfig{InputTypeInfos: slices.Repeat([]duckdb.TypeInfo{f.text}, len(f.texts)), ResultTypeInfo: f.text}
}

// Executor calls the function.
func (f *textFunction) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for i, v := range values {
			f.texts[i] = v.(string)
		}
		if made, ok := f.of(f.texts); ok {
			return made, nil
		}
		return nil, nil
	}}
}
