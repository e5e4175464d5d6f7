package transform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/schemas"
)

// shapeChoice is one JSON type that one path of a resource has in some source.
type shapeChoice struct {
	path, kind string
	sample     any
}

// shapeWalk reads the shapes of one resource.
type shapeWalk struct {
	testing.TB
	walkedResource
	s       *schemas.Stream
	space   *emulator.Workspace
	client  *api.Client
	ids     []string // to read by
	keys    []string
	sampler *shapeSampler
	tally   map[string]int
	became  map[string]string // what became of a shape, by its path and type
	found   map[string]bool   // rejectedShapes that were seen
}

func (w *shapeWalk) runWalk(all publicShapeSet) {
	w.Helper()
	w.space.SetKnobs(func(k *emulator.Knobs) { k.Forms = nil })
	w.findIDs()
	plain := w.readStream()
	if len(plain) == 0 {
		w.Fatalf("%s: the emulator has no record", w.stream)
	}
	var order []string
	for id := range plain {
		order = append(order, id)
	}
	slices.Sort(order)
	left := w.listChoices(all)
	for len(left) > 0 {
		n := min(len(left), len(order))
		if w.single {
			n = 1
		}
		w.tryShapes(left[:n], order, plain)
		left = left[n:]
	}
}

// listChoices are the shapes of the resource, each with a value that has it.
func (w *shapeWalk) listChoices(all publicShapeSet) (list []shapeChoice) {
	sampler := all.newSampler(w.resource)
	paths := map[string]bool{}
	for _, path := range sampler.names {
		if path == "$" {
			continue // an answer that is no object
		}
		for _, kind := range sampler.paths[path].Types {
			list = append(list, shapeChoice{path, kind, sampler.sampleValue(path, kind)})
			paths[path] = true
			w.tally["types"]++
		}
	}
	w.tally["paths"] = len(paths)
	w.sampler = sampler
	return list
}

// listForms are the forms that put a list of one item, with all that it may have, where a path leads through one.
func (w *shapeWalk) listForms(a shapeChoice, id string) []emulator.Form {
	path, value := "", any(nil)
	if before, _, is := strings.Cut(a.path, "[]"); is && a.path != before+"[]" {
		path, value = before, w.sampler.sampleValue(before, "array")
	}
	if before, _, is := strings.Cut(w.under, "[]"); is {
		path, value = before, []any{w.sampler.sampleObject("")}
	}
	if path == "" {
		return nil
	}
	return []emulator.Form{{Of: w.route, ID: id, Path: strings.ReplaceAll(path, "{}", freeKey), As: compactJSON(value)}}
}

// placeShape is where a shape is put: the path of a value, of the items of a list the list itself.
func (w *shapeWalk) placeShape(a shapeChoice) (path string, value any) {
	path, value = a.path, a.sample
	if before, of, is := strings.Cut(w.under, "[]"); is {
		path = before + "[]" + of + "." + path
	}
	path = strings.ReplaceAll(path, "{}", freeKey)
	for strings.HasSuffix(path, "[]") {
		path, value = strings.TrimSuffix(path, "[]"), []any{value}
	}
	return path, value
}

// tryShapes has records come with one shape each, and looks what became of it.
func (w *shapeWalk) tryShapes(list []shapeChoice, order []string, plain map[string]map[string]any) {
	w.Helper()
	var forms []emulator.Form
	keys := map[string]int{}
	for i, a := range list {
		id := order[i]
		if w.single {
			id = ""
		}
		path, value := w.placeShape(a)
		if _, err := strconv.Atoi(order[i]); path == "id" && a.kind == "integer" && err == nil {
			value = json.Number(order[i])
		} else if path == "id" && a.kind == "integer" {
			value = json.Number(fmt.Sprint(900_000_000 + i))
			keys[fmt.Sprint(900_000_000+i)] = i
		} else if path == "id" {
			value = id
		}
		keys[order[i]] = i
		forms = append(forms, w.listForms(a, id)...)
		for _, other := range w.placesBefore(path) {
			forms = append(forms, emulator.Form{Of: w.route, ID: id, Path: other, As: "absent"})
		}
		if list, _, nested := strings.Cut(path, ".data"); nested && w.route == "contacts.search" {
			forms = append(forms, emulator.Form{Of: w.route, ID: id, Path: list + ".total_count", As: "1"}, emulator.Form{Of: w.route, ID: id, Path: list + ".has_more", As: "false"})
		}
		forms = append(forms, emulator.Form{Of: w.route, ID: id, Path: path, As: compactJSON(value)})
	}
	// A form that changes the id comes last: the others are asked for by the id that was.
	slices.SortStableFunc(forms, func(a, b emulator.Form) int { return strings.Compare(formOrder(a), formOrder(b)) })
	w.space.SetKnobs(func(k *emulator.Knobs) { k.Forms = forms })
	for key, record := range w.readStream() {
		i, asked := keys[key]
		if w.single {
			i, asked = 0, true
		}
		if asked {
			w.checkRecord(list[i], record)
			delete(keys, key)
			if list[i].path == "id" {
				delete(keys, order[i])
			}
		}
	}
	for key, i := range keys {
		if !w.single && len(keys) > 0 && list[i].path != "id" {
			w.Errorf("%s: the record %s with %s as %s was not read", w.stream, key, list[i].path, list[i].kind)
		}
	}
}

func formOrder(f emulator.Form) string {
	if f.Path == "id" {
		return "1"
	}
	return "0"
}

// placesBefore are the places that go before a path where a column or a list may be at several: a shape is looked for there alone.
func (w *shapeWalk) placesBefore(path string) (others []string) {
	// Paths of stream files have no signs for lists; those of the form do.
	plain := strings.ReplaceAll(path, "[]", "")
	add := func(prefix []string, places [][]string) {
		at := slices.IndexFunc(places, func(place []string) bool {
			whole := strings.Join(slices.Concat(prefix, place), ".")
			return plain == whole || strings.HasPrefix(plain, whole+".")
		})
		for _, place := range places[:max(0, at)] {
			whole := slices.Concat(prefix, place)
			if strings.HasPrefix(plain, strings.Join(whole, ".")+".") || strings.HasPrefix(strings.Join(whole, ".")+".", plain+".") {
				continue
			}
			others = append(others, w.withListSigns(whole, path))
		}
	}
	for _, c := range w.s.Columns {
		add(nil, c.Places())
	}
	for _, c := range w.s.Children {
		for _, around := range w.outerPaths(c) {
			add(around, c.Places())
		}
		for _, column := range c.Columns {
			if !column.IsComputed() {
				for _, items := range w.s.PathsOf(c) {
					add(items, column.Places())
				}
			}
		}
	}
	return others
}

// outerPaths are the paths of what a child's list lies in.
func (w *shapeWalk) outerPaths(c schemas.Child) [][]string {
	i := slices.IndexFunc(w.s.Children, func(outer schemas.Child) bool { return outer.Table == c.Within })
	if c.Within == "" || i < 0 {
		return [][]string{nil}
	}
	return w.s.PathsOf(w.s.Children[i])
}

// withListSigns writes a path with the signs for lists that another path has where they are the same.
func (w *shapeWalk) withListSigns(path []string, like string) string {
	var all []string
	steps := strings.Split(like, ".")
	for i, name := range path {
		if i < len(steps) && strings.TrimSuffix(steps[i], "[]") == name && i < len(path)-1 {
			name = steps[i]
		}
		all = append(all, name)
	}
	return strings.Join(all, ".")
}

// findIDs asks the stream that this one is read over for the ids.
func (w *shapeWalk) findIDs() {
	if w.over == "" {
		return
	}
	other := &shapeWalk{TB: w.TB, walkedResource: walkedResource{stream: w.over}, s: builtinStream(w.TB, w.over), space: w.space, client: w.client}
	records := other.readStream()
	for _, id := range slices.Sorted(maps.Keys(records)) {
		record, asked := records[id], id
		if w.s.Read.Over.Size > 0 {
			asked, _ = record["conversation_id"].(string)
		}
		w.ids, w.keys = append(w.ids, asked), append(w.keys, id)
	}
	if w.single {
		w.ids = w.ids[:min(len(w.ids), 24)]
	}
}

// readStream reads the stream whole, as a run does, and gives its records by their ids; those without one by a number.
func (w *shapeWalk) readStream() map[string]map[string]any {
	w.Helper()
	r := extract.NewReader(w.client, extract.Request{Stream: w.s, Since: time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC), Until: w.space.CurrentTime().Add(time.Hour), IDs: w.ids, Keys: w.keys})
	records := map[string]map[string]any{}
	for {
		page, err := r.Next(w.Context())
		if errors.Is(err, io.EOF) {
			return records
		}
		if err == nil && w.byID {
			page, err = r.ReadByID(w.Context(), idsOf(w.s, page))
		}
		if err == nil && w.s.Read.Detail != nil && !w.listed {
			page, err = r.ReadDetails(w.Context(), page, nil)
		}
		if err != nil {
			w.Fatalf("%s: %v", w.stream, err)
		}
		for _, one := range page.Records {
			if one.Gone {
				continue
			}
			record, _ := decodeJSON(string(one.Raw)).(map[string]any)
			id := fmt.Sprint(record["id"])
			if record["id"] == nil {
				id = fmt.Sprint("none ", len(records))
				if !w.single {
					continue // standard attributes have no id: others have the same shapes
				}
			}
			record["$raw"], record["$over"] = string(one.Raw), one.Over
			records[id] = record
		}
	}
}

// idsOf are the ids of a page's records.
func idsOf(s *schemas.Stream, page extract.Page) (ids []string) {
	for _, record := range page.Records {
		if id, ok := extract.RecordKey(s, record.Raw); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkListed checks what a list's record is used for: its id and, with `unless_same`, its fingerprint.
func (w *shapeWalk) checkListed(a shapeChoice, record map[string]any, raw string) {
	w.Helper()
	heads, err := NewFingerprintReader(w.s)
	if err != nil {
		w.Fatal(err)
	}
	id, _ := extract.RecordKey(w.s, []byte(raw))
	if head := heads.readOptional(raw); id != fmt.Sprint(record["id"]) || head.Key != "" && head.Key != id {
		w.Errorf("%s: %s as %s: the record %v is found by %q, %q", w.stream, a.path, a.kind, record["id"], id, head.Key)
	}
	w.noteOutcome(a, ownReading)
}

// readOptional is Read of what may be nil.
func (h *FingerprintReader) readOptional(raw string) ListFingerprint {
	if h == nil {
		return ListFingerprint{}
	}
	return h.Read([]byte(raw))
}

// checkRecord decodes one record that has come with a shape.
func (w *shapeWalk) checkRecord(a shapeChoice, record map[string]any) {
	w.Helper()
	raw, over := record["$raw"].(string), record["$over"].(string)
	delete(record, "$raw")
	delete(record, "$over")
	if w.listed {
		w.checkListed(a, record, raw)
		return
	}
	b := newTestDecoder(w.TB, w.s, Options{APIVersion: "2.17"})
	if err := b.Append([]byte(raw), Meta{ReadAt: readAt, Over: over}); err != nil {
		w.Errorf("%s: %s as %s: %v", w.stream, a.path, a.kind, err)
		return
	}
	rows, rejects := b.takeRows(), b.Rejects()
	name := w.stream + " " + a.path + " " + a.kind
	f := &valueFinder{stream: w.s, rows: rows, rejected: map[string]bool{}, next: map[string]int{}, found: map[string]int{}}
	for _, reject := range rejects {
		f.rejected[reject.Table+" "+reject.Column] = true
		if rejectedShapes[name] == "" {
			w.Errorf("%s: rejected %s.%s %s", name, reject.Table, reject.Column, reject.Reason)
		}
		w.found[name] = true
	}
	own := Tables(w.s)[0].Name
	if len(rows[own]) != 1 {
		w.Errorf("%s: %d rows", name, len(rows[own]))
		return
	}
	path, value := w.placeShape(a)
	along := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	f.findBelow(record, objectLevel{table: own, cols: w.s.Columns, row: rows[own][0]}, along)
	for _, lost := range f.lost {
		w.Errorf("%s: %s\n  sent %s", name, lost, compactJSON(value))
	}
	w.noteOutcome(a, f.worstOutcome())
}

// noteOutcome keeps what became of a shape; where several records came with it, the worst.
func (w *shapeWalk) noteOutcome(a shapeChoice, where string) {
	name := a.path + " " + a.kind
	if before := w.became[name]; before == "" || slices.Index(ways, where) > slices.Index(ways, before) {
		w.became[name] = where
	}
}

// ways are the possible outcomes for a shape, the worst last.
var ways = []string{"not sent", isNothing, leftOut, ownReading, inExtra, inJSON, inColumn, lookedIn, isMisfit, isLost}

// ownReading is the outcome for a list's record of a stream with `detail`.
const ownReading = "read by itself"

// worstOutcome is the outcome of a shape in one word: the worst of its parts.
func (f *valueFinder) worstOutcome() string {
	worst := 0
	for where := range f.found {
		worst = max(worst, slices.Index(ways, where))
	}
	return ways[worst]
}
