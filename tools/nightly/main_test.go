package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestALaneThatFailsIsReportedAndTheOthersRun(t *testing.T) {
	t.Chdir(t.TempDir())
	makefile := "good:\n\t@echo '    a_test.go:12: lane: $(SEEDS) worlds, none failed'\nbad:\n\t@exit 3\nabsent:\n\t@echo '--- SKIP: TestBrowser'\nlast:\n\t@echo done\n"
	if err := os.WriteFile("Makefile", []byte(makefile), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := runAll(t.Context(), []nightLane{{"good", []string{"SEEDS=9"}, "none failed"}, {"bad", nil, ""}, {"absent", nil, ""}, {"last", nil, "done"}}, "logs", &out)
	if err == nil || err.Error() != "failed: bad; each has its output in logs" {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"| good | ok |", "| lane: 9 worlds, none failed |", "| bad | FAILED |", "| absent | skipped |", "| last | ok |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestLanesAreTargetsOfTheMakefile(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, l := range nightLanes("1", "500") {
		if !strings.Contains(string(text), "\n"+l.target+":") {
			t.Errorf("the Makefile has no target %s", l.target)
		}
		targets[l.target] = true
		for _, v := range l.vars {
			if name, _, _ := strings.Cut(v, "="); !strings.Contains(string(text), "$("+name+")") {
				t.Errorf("no target of the Makefile takes %s", name)
			}
		}
	}
	for _, released := range []string{"release-check", "release-cross"} {
		if !targets[released] {
			t.Errorf("no lane is %s", released)
		}
	}
	if _, err := chooseLanes(nightLanes("1", "500"), "model,nothing"); err == nil {
		t.Error("a lane that does not exist was taken")
	}
}
