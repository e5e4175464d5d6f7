package schemas

import "testing"

func TestBuiltinStreamsAreWellFormedAndEveryColumnIsDocumented(t *testing.T) {
	t.Parallel()
	c, err := Builtin()
	if err != nil {
		t.Fatal("\n" + err.Error())
	}
	for _, s := range c.Streams() {
		if s.Doc == "" {
			t.Errorf("%s: no doc", s.Name)
		}
		documented(t, s.Table, s.Columns)
		for _, child := range s.Children {
			if child.Doc == "" {
				t.Errorf("%s: no doc", child.Table)
			}
			documented(t, child.Table, child.Columns)
		}
	}
}

func documented(t *testing.T, table string, columns []Column) {
	t.Helper()
	for _, c := range columns {
		if c.Doc == "" {
			t.Errorf("%s.%s: no doc", table, c.Name)
		}
		if len(c.From) == 0 {
			t.Errorf("%s.%s: comes from nowhere", table, c.Name)
		}
	}
}
