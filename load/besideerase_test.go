package load_test

import (
	"testing"

	"aqueduck/load"
	"aqueduck/load/erase"
)

// visits says in an object and in lists who a visit is about. visits_by_id has copies of the same records.
const (
	visits = `stream: visits
doc: One row per visit.
read: {endpoint: GET /visits, records: data, page: {by: none}, since: {by: full}}
key: [id]
newest: at
columns:
  - {name: id, type: text}
  - {name: at, type: timestamp}
  - {name: owner_id, from: owner.id, type: text, person: true}
  - {name: title, type: text, pii: true, whose: record}
children:
  - table: visit_users
    from: users
    key: [visit_id, id]
    complete: true
    columns: [{name: id, type: text}, {name: contact_id, type: text, person: true}]
    children: [{table: visit_guests, from: guests, key: [visit_id, user_id, contact_id], columns: [{name: contact_id, type: text, person: true}]}]
`
	visitsByID = `stream: visits_by_id
doc: One row per visit that was read by itself.
like: visits
suffix: _by_id
with: visits
read: {endpoint: GET /visits/whole, records: data, page: {by: none}, since: {by: full}}
`
)

// TestT210AnAnswerThatOmitsThePersonIsErasedAsTheTableBesideSays: only the copy of the record in the table beside names the erased person. A copy there that
// is older than the own one says nothing.
func TestT210AnAnswerThatOmitsThePersonIsErasedAsTheTableBesideSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ beside, own, want string }{
		"an object":                 {`"at":1700000000,"owner":{"id":"ann"},"users":[]`, "", "1"},
		"an object, newer":          {`"at":1700000002,"owner":{"id":"ann"},"users":[]`, `"at":1700000001,"owner":{"id":"bob"},"users":[],"title":"before"`, "1"},
		"an object, older":          {`"at":1700000000,"owner":{"id":"ann"},"users":[]`, `"at":1700000001,"owner":{"id":"bob"},"users":[],"title":"before"`, "1|text"},
		"a list":                    {`"at":1700000000,"owner":{},"users":[{"id":"5","contact_id":"ann"}]`, "", "1"},
		"a list in a list":          {`"at":1700000000,"owner":{},"users":[{"id":"5","guests":[{"contact_id":"ann"}]}]`, "", "1"},
		"a list, older":             {`"at":1700000000,"owner":{},"users":[{"id":"5","contact_id":"ann"}]`, `"at":1700000001,"owner":{},"users":[],"title":"before"`, "1|text"},
		"a list, of another person": {`"at":1700000000,"owner":{},"users":[{"id":"5","contact_id":"bob"}]`, "", "1|text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newErasing(t, load.Options{})
			e.addStreams(visits, visitsByID)
			e.commitRecords("visits", `{"id":"1",`+tt.beside+`}`)
			if tt.own != "" {
				e.commitRecords("visits_by_id", `{"id":"1",`+tt.own+`}`)
			}
			_, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedByCommand, []string{"ann"})
			must(t, err)
			e.commitRecords("visits_by_id", `{"id":"1","at":1700000009,"title":"text"}`)
			e.expectRows("SELECT concat_ws('|', id, title) FROM {raw}.visits_by_id", tt.want)
		})
	}
}

// TestAnErasureRemovesNotesAboutRecordsWithThePersonInTheirKey, also where the key has several columns.
func TestAnErasureRemovesNotesAboutRecordsWithThePersonInTheirKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"contact_id", "contact_id, team"} {
		e := newErasing(t, load.Options{})
		e.addStreams("stream: members\ndoc: One row per member.\nread: {endpoint: GET /members, records: data, page: {by: none}, since: {by: full}}\nkey: [" + key + "]\nerase: rows\n" +
			"columns:\n  - {name: contact_id, type: text, person: true}\n  - {name: team, type: text}\n  - {name: v, type: int}\n  - {name: more, type: json}\n")
		for _, more := range []string{`,"more":{"k":1}`, `,"v":"x"`} {
			e.commitRecords("members", `{"contact_id":"ann","team":"7"`+more+`}`, `{"contact_id":"joanna","team":"8"`+more+`}`)
		}
		const left = "SELECT count(*) FROM (SELECT id FROM _sync.incomplete UNION ALL SELECT key FROM _sync.misfits)"
		e.expectRows(left, "4")
		_, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedByCommand, []string{"ann"})
		must(t, err)
		e.expectRows(left, "2")
	}
}
