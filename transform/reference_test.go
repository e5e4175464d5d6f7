package transform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/schemas"
	"aqueduck/transform/internal/jsontext"
)

// referenceDecoder is a slow, simple decoder with maps of encoding/json. Decoder must give the same result.
type referenceDecoder struct {
	stream   *schemas.Stream
	row      map[string]any
	extra    map[string]any
	children map[string][]any // the lists of the child tables
}

func (r *referenceDecoder) decodeObject(path []string, value, extra map[string]any, columns []schemas.Column) {
	for name, v := range value {
		at := append(slices.Clone(path), name)
		fits := r.decodeField(at, v, columns, func(below map[string]any) {
			inner := map[string]any{}
			r.decodeObject(at, below, inner, columns)
			if len(inner) > 0 && !r.isKept(at, columns) {
				extra[name] = inner
			}
		})
		if !fits {
			extra[name] = v
		}
	}
}

// isKept says that a JSON column has the whole of what is at a path.
func (r *referenceDecoder) isKept(at []string, columns []schemas.Column) bool {
	return slices.ContainsFunc(columns, func(c schemas.Column) bool { return c.Type == schemas.JSON && slices.Equal(c.From, at) })
}

// decodeField says whether a value has its place.
func (r *referenceDecoder) decodeField(at []string, v any, columns []schemas.Column, descend func(map[string]any)) bool {
	own := len(columns) == len(r.stream.Columns)
	if own && slices.ContainsFunc(append(slices.Clone(r.stream.Ignore), []string{"tags", "total_count"}, []string{"tags", "url"}), func(p []string) bool { return slices.Equal(p, at) }) {
		return true
	}
	known, holds := false, false
	fits := true
	for _, c := range columns {
		if slices.Equal(c.From, at) {
			known = true
			got, ok := convertReference(c, v)
			if !ok {
				fits = false
			}
			if ok && got != nil {
				r.row[c.Name] = got
			}
		} else if len(c.From) > len(at) && slices.Equal(c.From[:len(at)], at) {
			holds = true
		}
	}
	if own {
		for _, c := range r.stream.Children {
			if slices.Equal(c.From, at) {
				known = true
				list, isList := v.([]any)
				object, isObject := v.(map[string]any)
				fits = isList || v == nil || isObject && len(object) == 0
				r.children[c.Table] = list
			} else if len(c.From) > len(at) && slices.Equal(c.From[:len(at)], at) {
				holds = true
			}
		}
	}
	if object, ok := v.(map[string]any); ok && holds {
		descend(object)
		return true
	}
	list, isList := v.([]any)
	return known && fits || holds && (v == nil || isList && len(list) == 0 && !slices.ContainsFunc(columns, func(c schemas.Column) bool { return slices.Equal(c.From, at) && c.Type != schemas.JSON }))
}

func convertReference(c schemas.Column, v any) (any, bool) {
	if v == nil {
		return nil, true
	}
	if c.Type == schemas.JSON {
		return v, true
	}
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	default:
		return nil, false
	}
	_, isBool := v.(bool)
	_, isText := v.(string)
	number, isNumber := new(big.Rat), !isBool && json.Valid([]byte(text)) && regexp.MustCompile(`^-?[0-9][0-9.eE+-]*$`).MatchString(text)
	if isNumber {
		number.SetString(text)
	}
	whole := isNumber && number.IsInt() && number.Num().IsInt64()
	switch c.Type {
	case schemas.Text:
		if isText && c.As == "url" {
			text = strings.Replace(text, "&X-Amz-Signature=c", "", 1) // the only signature that is generated
		}
		if isText && c.As == "plain_text" {
			text = string(appendPlainText(nil, []byte(text)))
		}
		return text, true
	case schemas.Int:
		if whole {
			return number.Num().Int64(), true
		}
	case schemas.Double:
		f, err := strconv.ParseFloat(text, 64)
		return f, isNumber && err == nil
	case schemas.Bool:
		if c.As == "has_text" {
			if isText {
				text = string(appendPlainText(nil, []byte(text)))
			}
			return text != "", true
		}
		return text == "true", text == "true" || text == "false"
	case schemas.Date:
		day, err := time.Parse(time.DateOnly, text)
		return day.Format(time.DateOnly), err == nil && isText
	case schemas.Timestamp:
		at, err := time.Parse(time.RFC3339, text)
		if whole {
			at, err = time.Unix(number.Num().Int64(), 0).UTC(), nil
			n := number.Num().Int64()
			for _, finer := range []time.Time{time.UnixMilli(n).UTC(), time.UnixMicro(n).UTC()} {
				if finer.Year() >= 1990 && finer.Year() < 2100 {
					at = finer
				}
			}
		}
		return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano), err == nil && at.Year() >= 1990 && at.Year() < 2100
	}
	return nil, false
}

// isPlainJSON says that encoding/json sees a record as we do: no name twice, nothing deep, no exponents that exhaust big.Rat,
// no surrogates in a row, of which jx makes something else in names.
func isPlainJSON(raw []byte) bool {
	if regexp.MustCompile(`[eE][+-]?[0-9]{4}|\\u[dD][89abAB]`).Match(raw) {
		return false
	}
	js := json.NewDecoder(bytes.NewReader(raw))
	js.UseNumber()
	return hasUniqueNames(js, 0)
}

func hasUniqueNames(js *json.Decoder, depth int) bool {
	token, err := js.Token()
	if err != nil || depth > jsontext.MaxDepth-4 {
		return false
	}
	seen := map[json.Token]bool{}
	for token == json.Delim('{') || token == json.Delim('[') {
		if !js.More() {
			_, err := js.Token()
			return err == nil
		}
		if token == json.Delim('{') {
			name, err := js.Token()
			if err != nil || seen[name] {
				return false
			}
			seen[name] = true
		}
		if !hasUniqueNames(js, depth+1) {
			return false
		}
	}
	return true
}

func decodeNumbers(t testing.TB, text string) any {
	t.Helper()
	js := json.NewDecoder(strings.NewReader(text))
	js.UseNumber()
	var v any
	if err := js.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// comparableRow makes the columns of a row comparable: JSON by its content, system columns away.
func comparableRow(t testing.TB, row map[string]any, columns []schemas.Column) map[string]any {
	t.Helper()
	for _, c := range columns {
		if text, ok := row[c.Name].(string); ok && c.Type == schemas.JSON {
			row[c.Name] = decodeNumbers(t, text)
		}
	}
	for _, name := range []string{RowColumn, HashColumn, VersionColumn} {
		delete(row, name)
	}
	if text, ok := row[ExtraColumn].(string); ok {
		row[ExtraColumn] = decodeNumbers(t, text)
	}
	return row
}

// checkAgreement decodes a record both ways.
func checkAgreement(t testing.TB, raw []byte) {
	t.Helper()
	s := thingStream()
	b := newTestDecoder(t, s, Options{})
	err := b.Append(raw, Meta{ReadAt: readAt})
	rows := b.takeRows() // finds what is no UTF-8
	rejects := b.Rejects()
	whole := slices.ContainsFunc(rejects, func(r Reject) bool { return r.Table == "things" && r.Raw != nil })
	kept := len(rows["things"]) == 1
	if trouble := err != nil; (trouble || whole) == kept || trouble && whole {
		t.Fatalf("%q: kept %v, rejected %v, error %v", raw, kept, whole, err)
	}
	if valid := json.Valid(raw); valid == (err != nil) && !jsontext.TooDeep(raw) {
		t.Fatalf("%q: valid %v, error %v", raw, valid, err)
	}
	if err != nil || !isPlainJSON(raw) {
		return
	}
	record, isObject := decodeNumbers(t, string(raw)).(map[string]any)
	want := referenceDecoder{stream: s, row: map[string]any{}, extra: map[string]any{}, children: map[string][]any{}}
	want.decodeObject(nil, record, want.extra, s.Columns)
	if _, hasKey := want.row["id"]; !isObject || !hasKey {
		if kept {
			t.Fatalf("%q: kept without a key", raw)
		}
		return
	}
	if !kept {
		t.Fatalf("%q: not kept", raw)
	}
	if len(want.extra) > 0 {
		want.row[ExtraColumn] = want.extra
	}
	compareDecoded(t, raw, want.row, comparableRow(t, rows["things"][0], s.Columns))
	for _, c := range s.Children {
		want.compareItems(t, raw, c, rows[c.Table], rejects)
	}
}

// compareItems compares the rows of a child table.
func (r *referenceDecoder) compareItems(t testing.TB, raw []byte, c schemas.Child, got []map[string]any, rejects []Reject) {
	t.Helper()
	var refused int64
	for _, reject := range rejects {
		if reject.Table == c.Table && reject.Raw != nil {
			refused += reject.Count
		}
	}
	sent := 0
	for position, item := range r.children[c.Table] {
		if item == nil {
			continue
		}
		sent++
		one := referenceDecoder{stream: r.stream, row: map[string]any{"thing_id": r.row["id"]}, extra: map[string]any{}}
		object, ok := item.(map[string]any)
		if c.Table == "thing_tags" {
			object = withoutField(object, "type")
		}
		one.decodeObject(nil, object, one.extra, c.Columns)
		if len(one.extra) > 0 {
			one.row[ExtraColumn] = one.extra
		}
		if ok && len(one.row) == 1 {
			sent-- // it says nothing
			continue
		}
		if c.Table == "thing_parts" {
			one.row["position"], one.row["read_at"] = int64(position), readAt.Format(time.RFC3339)
		}
		if _, hasKey := one.row["tag_id"]; !ok || c.Table == "thing_tags" && !hasKey {
			refused--
			sent--
			continue
		}
		if len(got) == 0 {
			t.Fatalf("%q: %s has too few rows", raw, c.Table)
		}
		compareDecoded(t, raw, one.row, comparableRow(t, got[0], c.Columns))
		got = got[1:]
	}
	if len(got) > 0 || refused != 0 {
		t.Fatalf("%q: %s has %d rows and %d rejects too many", raw, c.Table, len(got), refused)
	}
}

func withoutField(object map[string]any, name string) map[string]any {
	copied := map[string]any{}
	for k, v := range object {
		if k != name {
			copied[k] = v
		}
	}
	return copied
}

func compareDecoded(t testing.TB, raw []byte, want, got map[string]any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%q\n got %v\nwant %v", raw, got, want)
	}
}

var (
	someNames = map[string][]string{
		"":      {"id", "t", "i", "d", "b", "at", "day", "j", "place", "link", "body", "tags", "parts", "type", "x", "ID", "", "é", `a\"b`, `\u0069`, "city"},
		"place": {"city", "post", "x", "id", "tags"},
		"post":  {"zip", "x", "zip "},
		"tags":  {"data", "data", "type", "url", "total_count", "x"},
		"data":  {"id", "name", "set_at", "type", "x", "thing_id"},
		"parts": {"body", "id", "x"},
		"j":     {"k", "x", "k "},
	}
	someValues = []string{"null", "true", "false", "0", "-1", "12", "1.0", "1e3", "1.5", "9007199254740993", "9223372036854775808", "1700000000",
		"1700000000", "1700000000000", `""`, `"x"`, `"12"`, `"true"`, `"2024-05-06"`, `"2024-05-06T07:08:09+01:00"`, `"https://x.test/?a=b"`, `"https://x.test/?a=b&X-Amz-Signature=c"`,
		`"<p>a</p>b"`, `"\"\\\n"`, "{}", "[]", " [ ] ", `{"a" : [1, {"b":null}]}`}
	rareValues = []string{`"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"", "tru", `{"a":1,"a":2}`}
)

// generateValue writes the value of a field with the names and kinds of values that matter, now and then a broken one.
func generateValue(r *rand.Rand, field string, depth int) string {
	names, known := someNames[field]
	list := field == "data" || field == "parts"
	switch {
	case r.IntN(200) == 0:
		return rareValues[r.IntN(len(rareValues))]
	case depth == 0 || field != "" && (!known || r.IntN(8) == 0):
		return someValues[r.IntN(len(someValues))]
	case list && depth%2 == 0:
		var items []string
		for range r.IntN(4) {
			items = append(items, generateValue(r, field, depth-1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	var fields []string
	for _, i := range r.Perm(len(names))[:r.IntN(len(names)+1)] {
		fields = append(fields, fmt.Sprintf(`"%s" :%s`, names[i], generateValue(r, names[i], (depth-1)/2*2)))
	}
	if (field == "" || field == "data") && r.IntN(10) > 0 && !slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, `"id"`) }) {
		fields = append(fields, fmt.Sprintf(`"id":%d`, r.IntN(9)))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func TestDecoderAgreesWithReference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		checkAgreement(t, []byte(generateValue(r, "", 7)))
	}
}

func FuzzRecord(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add([]byte(generateValue(r, "", 7)))
	}
	for _, record := range canaryRecords {
		f.Add([]byte(record))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkAgreement(t, raw) })
}
