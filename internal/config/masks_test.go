package config

import (
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"
)

const personalBase = "version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: contacts}}\n"

// Holds: S38.
func TestPersonalMasksEachPersonalColumnOfEachStream(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"hash", "drop"} {
		file := map[string]string{"pipelines.yaml": personalBase + "personal: " + way + "\nstreams: {contacts: {hash: [email], drop: [phone]}}\n"}
		c, err := configOf(t, file)
		if err != nil {
			t.Fatal(err)
		}
		columns := 0
		for _, s := range builtinStreams(t) {
			if s.IsExportFamily() {
				continue
			}
			hash, drop := c.MaskedNames(s)
			for _, name := range s.PersonalColumns() {
				columns++
				in, other := hash, drop
				switch {
				case strings.HasPrefix(s.Name, "contacts") && name == "email":
				case strings.HasPrefix(s.Name, "contacts") && name == "phone", way == "drop", name == "transcript_text":
					in, other = drop, hash
				}
				if !slices.Contains(in, name) || slices.Contains(other, name) {
					t.Errorf("personal: %s: %s.%s is hashed in %v, dropped in %v", way, s.Name, name, hash, drop)
				}
			}
		}
		if columns < 80 {
			t.Errorf("only %d columns are personal: the test finds little", columns)
		}
	}
	c, err := configOf(t, map[string]string{"pipelines.yaml": personalBase + "personal: keep\n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range builtinStreams(t) {
		if hash, drop := c.MaskedNames(s); len(hash)+len(drop) > 0 {
			t.Errorf("personal: keep masks %v and %v of %s", hash, drop, s.Name)
		}
	}
}

func TestPersonalRefusesAKeyThatItCannotMask(t *testing.T) {
	t.Parallel()
	_, err := configOf(t, map[string]string{
		"pipelines.yaml": personalBase + "stream_files: people.yaml\npersonal: hash\n",
		"people.yaml": `stream: people
doc: One row per person.
read: {endpoint: GET /people, records: [data], page: {by: none}, since: {by: full}}
key: [email]
absent: gone
columns:
  - {name: email, type: text, required: true, pii: true, doc: Address and key.}
`})
	if err == nil || !strings.Contains(err.Error(), "stream people: ") || !strings.Contains(err.Error(), "email") {
		t.Errorf("a personal key: %v", err)
	}
}

// TestWhatARunLearnsErasuresFromIsNotMasked: a run that does not see the status erases no one.
func TestWhatARunLearnsErasuresFromIsNotMasked(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{"deleted_contacts: {drop: [status]}", "deleted_contacts: {hash: [merged_into_id]}", "conversations: {drop: [source_redacted]}"} {
		if _, err := configOf(t, map[string]string{"pipelines.yaml": personalBase + "streams: {" + settings + "}\n"}); err == nil || !strings.Contains(err.Error(), "a run learns whom or what the source has erased") {
			t.Errorf("%s: got %v", settings, err)
		}
	}
}

// TestMasksOfAStreamIntoAnotherAreRefused: they would mask none of the rows that the other stream writes, and count as done for all.
func TestMasksOfAStreamIntoAnotherAreRefused(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		"conversations_by_id: {hash: [source_author_name]}":                                               "rows of conversations_by_id are in the table of conversations: hash it there",
		"conversations: {hash: [source_author_name]}":                                                     "",
		`"conversations*": {drop: [source_author_name]}`:                                                  "",
		"conversations: {drop: [source_author_name]}, conversations_by_id: {drop: [source_author_email]}": "drop it there",
	} {
		_, err := configOf(t, map[string]string{"pipelines.yaml": personalBase + "streams: {" + settings + "}\n"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", settings, err, want)
		}
	}
}

func builtinStreams(t *testing.T) []*schemas.Stream {
	t.Helper()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.Streams()
}

// TestTheColumnOfOptionalValuesIsNotMasked: without it the rows of a value that the source refuses count as deleted.
func TestTheColumnOfOptionalValuesIsNotMasked(t *testing.T) {
	t.Parallel()
	const stream = `stream: kinds
read: {endpoint: GET /kinds, records: data, page: {by: none}, since: {by: full}, over: {values: [a, b], as: kind, optional: [b]}}
key: [id]
absent: gone
columns: [{name: id, type: text}, {name: kind, type: text}]
`
	for _, way := range []string{"hash", "drop"} {
		_, err := configOf(t, map[string]string{"kinds.yaml": stream,
			"pipelines.yaml": strings.Replace(personalBase, "streams: contacts", "streams: kinds", 1) + "stream_files: kinds.yaml\nstreams: {kinds: {" + way + ": [kind]}}\n"})
		if err == nil || !strings.Contains(err.Error(), "the rows of a value that the source refuses") {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// TestAColumnThatAChildStreamAsksForIsNotMasked: its requests would have hashes in place of ids, and find nothing.
func TestAColumnThatAChildStreamAsksForIsNotMasked(t *testing.T) {
	t.Parallel()
	const streams = `stream: boxes
read: {endpoint: GET /boxes, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns: [{name: id, type: text}, {name: owner, type: text, pii: true}, {name: color, type: text, pii: true}]
`
	const child = `stream: labels
read: {endpoint: "GET /owners/{id}/labels", records: data, page: {by: none}, since: {by: full}, over: {stream: boxes, where: owner}}
key: [id]
columns: [{name: id, type: text}]
`
	for setting, refused := range map[string]bool{
		"streams: {boxes: {hash: [owner]}}": true, "streams: {boxes: {drop: [owner]}}": true, "streams: {'bo*': {hash: [owner]}}": true,
		"personal: hash": true, "personal: drop": true, "streams: {boxes: {hash: [color]}}": false,
	} {
		_, err := configOf(t, map[string]string{"boxes.yaml": streams, "labels.yaml": child,
			"pipelines.yaml": strings.Replace(personalBase, "streams: contacts", "streams: [boxes, labels]", 1) + "stream_files: [boxes.yaml, labels.yaml]\n" + setting + "\n"})
		if got := err != nil && strings.Contains(err.Error(), "stream labels asks the source for the values of boxes.owner"); got != refused || !refused && err != nil {
			t.Errorf("%s: %v", setting, err)
		}
	}
}
