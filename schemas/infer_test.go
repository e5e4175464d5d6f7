package schemas

import (
	"fmt"
	"strings"
	"testing"
)

func TestColumnsAreInferredFromWhatRecordsHave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, field, want string }{
		{"an id is a text", `"id":7`, "- {name: id, type: text}"},
		{"another one's id too", `"admin_id":200963802864963123`, "- {name: admin_id, type: text}"},
		{"a number", `"size":7`, "- {name: size, type: int}"},
		{"numbers of two kinds", `"size":7|"size":7.5`, "- {name: size, type: double}"},
		{"a number and a text", `"size":7|"size":"x"`, "- {name: size, type: text}"},
		{"a number beyond 64 bits", `"size":18446744073709551616`, "- {name: size, type: text}"},
		{"an instant", `"updated_at":1700000000`, "- {name: updated_at, type: timestamp}"},
		{"a large number that is called no time", `"visits":1700000000`, "- {name: visits, type: int}"},
		{"an ISO time", `"seen":"2024-06-15T04:00:00Z"`, "- {name: seen, type: timestamp}"},
		{"a date", `"day":"2024-06-15"`, "- {name: day, type: date}"},
		{"a flag", `"on":true|"on":null`, `- {name: "on", type: bool}`},
		{"a list", `"list":[1]`, "- {name: list, type: json}"},
		{"a list in its envelope", `"tags":{"data":[1]}`, "- {name: tags, from: tags.data, type: json}"},
		{"an object of fields", `"location":{"country":"x"}`, "- {name: location_country, from: location.country, type: text}"},
		{"an object of somebody's names", `"custom":{"Größe":1}`, "- {name: custom, type: json}"},
		{"an address", `"author":{"email":"x"}`, "- {name: author_email, from: author.email, type: text, pii: true}"},
		{"a key of capitals", `"Größe":1`, `- {name: gr__e, from: "Größe", type: int}`},
		{"a key of other letters", `"売上":"x"`, `- {name: field, from: "売上", type: text}`},
	} {
		var records [][]byte
		for _, field := range strings.Split(c.field, "|") {
			records = append(records, []byte("{"+field+"}"))
		}
		got := Infer(records, nil)
		if len(got) != 1 || got[0].Line() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

func TestT49NamesOfFieldsThatNoPathCanSayStay(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "a.b", "a b", "$parent", "tab\t"} {
		got := Infer([][]byte{fmt.Appendf(nil, "{%q:1}", key)}, nil)
		if len(got) != 1 || got[0].Unnamed == "" {
			t.Errorf("%q: %+v", key, got)
		}
	}
	// Two names that become the same column name, and one that is taken.
	got := Infer([][]byte{[]byte(`{"Plan":"x","PLAN":"y","_extra":"z"}`)}, []string{"plan"})
	if got[0].Column.Name != "plan_2" || got[1].Column.Name != "plan_3" || got[2].Column.Name != "field_extra" {
		t.Errorf("%+v", got)
	}
}

func TestAFileThatIsProposedIsOneThatTheCatalogueTakes(t *testing.T) {
	t.Parallel()
	catalogue, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	record := func(n int) []byte {
		return fmt.Appendf(nil, `{"type":"thing","id":"%d","on":true,"a b":1,"name":"x\"y","location":{"type":"place","city":"c%d"},"x.y":2}`, n, n)
	}
	p := Proposal{Path: "/calls", List: "data", Records: [][]byte{record(1), record(2)}, Page: Page{By: "number", In: "query", Size: 25}, Why: "seen"}
	name, text, err := catalogue.Propose(p)
	if err != nil || name != "own_calls" {
		t.Fatalf("%s, %v", name, err)
	}
	if err := catalogue.AddStream("own.yaml", text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if s, _ := catalogue.Stream(name); len(s.Columns) != 4 || len(s.Ignore) != 2 || s.Key[0] != "id" || s.Absent != "gone" {
		t.Errorf("%s", text)
	}
	p.Records = [][]byte{[]byte(`{"name":"x"}`), []byte(`{"name":"x"}`)}
	if _, _, err := catalogue.Propose(p); err == nil {
		t.Error("two records of one name have a key")
	}
	for path, good := range map[string]bool{"/tags": true, "/conversations/{id}/hitl_events": false, "tags": false, "/a?b=c": false} {
		if err := CheckReadable(path); err == nil != good {
			t.Errorf("%s: %v", path, err)
		}
	}
}
