package mirror

import (
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/readtest"
)

// TestEveryTableForReadersHasItsKey: the table of changes names rows of each built-in table and relation.
func TestEveryTableForReadersHasItsKey(t *testing.T) {
	r, end, err := readtest.NewRunner(t.TempDir(), "version: 1\nwarehouse: {mirror: {location: s3://bucket/tables}}\nworkspaces: {main: {base_url: \"${WORKSPACE_URL}\", token: \"${WORKSPACE_TOKEN}\"}}\npipelines: {nightly: {streams: [\"*\"]}}\n",
		emulator.New(emulator.Config{Contacts: 1, Conversations: -1}))
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	target, err := describeTarget(r)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, s := range target.Schemas {
		for _, name := range s.Tables {
			if named++; len(s.Keys[name]) == 0 {
				t.Errorf("table %s has no key", name)
			}
		}
	}
	if named < 100 {
		t.Errorf("there are %d tables", named)
	}
}
