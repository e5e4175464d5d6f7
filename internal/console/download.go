package console

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/problem"
	"aqueduck/internal/term"
)

// mostDownloaded limits the rows of a download: it is complete in memory before its first byte is sent.
const mostDownloaded = 100_000

// serveDownload answers a saved query as a CSV file, with all its rows.
func (c *Console) serveDownload(w http.ResponseWriter, r *http.Request) {
	q, content, err := downloadOf(r.Context(), c, r)
	if err != nil {
		c.renderError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.csv"`, q.Name))
	// A reader that has disconnected needs no error.
	_, _ = w.Write(content)
}

func downloadOf(ctx context.Context, c *Console, r *http.Request) (savedQuery, []byte, error) {
	d, q, err := findQuestion(ctx, c, r)
	if err != nil {
		return q, nil, err
	}
	if len(q.Lacks) > 0 {
		return q, nil, q.lacking()
	}
	content, err := d.writeCSV(ctx, q, filterOf(r))
	return q, content, err
}

// lacking is the error of a query that reads tables that are not there.
func (q savedQuery) lacking() error {
	return &problem.Problem{Class: "data", What: "the query reads tables that this warehouse does not have: " + strings.Join(q.Lacks, ", "), Next: "list the tables: open /data"}
}

// writeCSV runs a saved query and writes the rows of its answer that a filter keeps as CSV. Personal columns are empty, as on the page.
func (d *publishedData) writeCSV(ctx context.Context, q savedQuery, f answer.Filter) ([]byte, error) {
	d.asking.Lock()
	defer d.asking.Unlock()
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	rows, hidden, keeps := 0, []bool(nil), func([]any) bool { return true }
	err := d.queryApart(ctx, q.statement, func(columns []string, v []any) error {
		if v == nil {
			for _, name := range columns {
				hidden = append(hidden, q.personal[name])
			}
			keeps = f.Keeps(columns)
			return out.Write(columns)
		}
		if !keeps(v) {
			return nil
		}
		if rows++; rows > mostDownloaded {
			return &problem.Problem{Class: "usage", What: fmt.Sprintf("the answer has more than %s rows", answer.FormatNumber(mostDownloaded)), Next: "aqueduck query --saved " + q.Name + " -o csv"}
		}
		line := make([]string, len(v))
		for i, value := range v {
			if !hidden[i] {
				line[i] = csvCell(value)
			}
		}
		return out.Write(line)
	})
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", q.Name, err)
	}
	out.Flush()
	return b.Bytes(), out.Error()
}

// csvCell formats a value as `aqueduck query -o csv` does; null is empty.
func csvCell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case string:
		return term.EscapeFormula(v)
	case json.RawMessage:
		return term.EscapeFormula(string(v))
	case []any, map[string]any:
		if encoded, err := json.Marshal(v); err == nil {
			return term.EscapeFormula(string(encoded))
		}
	}
	return fmt.Sprint(v)
}
